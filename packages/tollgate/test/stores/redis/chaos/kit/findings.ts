import { type CallRecord, show } from "./call-record.ts";
import { FRACTION } from "./lane.ts";
import { PER_SECOND, TIGHT } from "./limits.ts";
import type { Run } from "./traffic-run.ts";

/** How much longer than its timeout a call may take, in addition to the lag of the process. */
const GRACE_MS = 20;
/** The time within which the server decides the calls of a lane again after it is back. */
export type BackWithinMs = (lane: string) => number;
/** The lag of this process, in timeouts, from which on a call may time out because the servers lag, too. */
const STARVED = 1 / 4;
/** The most calls in the message about one fault. */
const MOST_SHOWN = 5;

// Each of these returns the faults in words, or an empty list.

export function tooLong(run: Run<unknown>): string[] {
  return run.lanes.flatMap(({ calls, timeoutMs }) =>
    calls
      .filter((call) => run.overMs(call, timeoutMs) > GRACE_MS)
      .map((call) => `${show(call)}, lag of ${Math.round(run.lagMs(call))} ms`)
      .slice(0, MOST_SHOWN),
  );
}

/** Unhandled errors, calls that threw, and calls that never ended. */
export function crashes(run: Run<unknown>): unknown[] {
  const thrown = run.calls.filter(({ error }) => error !== undefined).map((call) => [show(call), call.error]);
  return [...run.uncaught, ...run.hanging.map(show), ...thrown].slice(0, MOST_SHOWN);
}

/** Calls that the server decided though it was unavailable. If it was only slow, it replied after `replyMs`. */
export function answeredWithoutServer(run: Run, replyMs: number): string[] {
  const { calls, result } = run;
  return calls
    .filter(({ startedMs, endedMs }) => startedMs >= result.fromMs && endedMs <= result.untilMs)
    .filter((call) => !isRemembered(call) && isFromServer(call) && !isStretched(run, call, replyMs))
    .map(show)
    .slice(0, MOST_SHOWN);
}

/** Calls that were decided without the server before the incident, or after the server should be back. */
export function degradedOutside(run: Run, within: BackWithinMs): string[] {
  const { calls, lag, result } = run;
  const { beginMs, backMs } = result;
  return calls
    .filter(({ lane, startedMs, endedMs }) => endedMs < beginMs || startedMs > lag.deadlineMs(backMs, within(lane)))
    .filter((call) => call.degraded !== undefined && !isStarved(run, call) && !hasReopened(run, call, backMs))
    .map(show)
    .slice(0, MOST_SHOWN);
}

/** Whether a circuit may be open because this process stood still since, and the servers with it. */
function hasReopened(run: Run<unknown>, call: CallRecord, sinceMs: number): boolean {
  const longestMs = run.lag.longestMs(Math.min(sinceMs, call.startedMs), call.endedMs);
  return call.degraded === "circuit open" && longestMs >= timeoutOf(run, call) * STARVED;
}

/** Whether a slow reply was in time, because the timeout does not run while this process lags. */
function isStretched(run: Run, call: CallRecord, replyMs: number): boolean {
  return call.endedMs - call.startedMs >= replyMs && run.overMs(call, timeoutOf(run, call)) <= GRACE_MS;
}

/** Whether a call timed out on a machine so busy that this process lagged: the servers did, too. */
function isStarved(run: Run<unknown>, call: CallRecord): boolean {
  return call.degraded === "timed out" && run.lagMs(call) >= timeoutOf(run, call) * STARVED;
}

function timeoutOf({ lanes }: Run<unknown>, call: CallRecord): number {
  return lanes.find(({ name }) => name === call.lane)?.timeoutMs ?? 0;
}

export function unknownCauses(run: Run<unknown>, known: readonly string[]): string[] {
  const calls = run.calls.filter((call) => !isStarved(run, call));
  return [...causesOf(calls).keys()].filter((cause) => !known.includes(cause));
}

/** Degraded decisions of which observers were not notified, or more than once. */
export function unobserved({ lanes }: Run<unknown>): string[] {
  return lanes.flatMap(({ name, calls, observedCauses }) => {
    const told = causesOf(calls.filter(({ verb }) => verb !== "refund"));
    return [...new Set([...told.keys(), ...observedCauses.keys()])]
      .filter((cause) => told.get(cause) !== observedCauses.get(cause))
      .map((cause) => `${name}: ${cause}: decided ${told.get(cause) ?? 0}, observed ${observedCauses.get(cause) ?? 0}`);
  });
}

/** Decisions without the server that violate the lane's policy. */
export function againstPolicy({ lanes }: Run<unknown>): string[] {
  return lanes.flatMap((lane) => {
    const degraded = lane.calls.filter((call) => call.degraded !== undefined && call.verb !== "refund");
    switch (lane.policy) {
      case "allow":
        return degraded.filter(({ admitted }) => !admitted).map(show);
      case "deny":
        return degraded.filter(({ admitted }) => admitted).map(show);
      case "fraction":
        return againstFraction(lane.name, degraded);
      default:
        return lane.policy satisfies never;
    }
  });
}

/** Faults in the circuit events of a store: an outage is one `down`, failed probes and one `up`. */
export function circuitFaults({ lanes }: Run<unknown>): string[] {
  return lanes.flatMap(({ name, store, observed }) => {
    const events = observed.map(({ type }) => type).join(" ");
    const faults: string[] = [];
    if (!/^(?:down (?:probe )*up )+$/.test(`${events} `)) faults.push(`${name}: expected down, then up, got ${events}`);
    if (store.breaker !== "closed") faults.push(`${name}: expected a closed circuit, got ${store.breaker}`);
    return faults;
  });
}

/** The time from the return of the server to its first decision, per lane. */
function recoveries({ lanes, result: { backMs } }: Run): { readonly lane: string; readonly ms: number }[] {
  return lanes.map(({ name, calls }) => {
    const ends = calls
      .filter((call) => call.endedMs >= backMs && call.admitted && call.returns === "decision")
      .filter(({ degraded }) => degraded === undefined)
      .map(({ endedMs }) => endedMs);
    return { lane: name, ms: Math.round(Math.min(...ends) - backMs) };
  });
}

export function notBack(run: Run, within: BackWithinMs): string[] {
  const { backMs } = run.result;
  return recoveries(run)
    .filter(({ lane, ms }) => backMs + ms > run.lag.deadlineMs(backMs, within(lane)))
    .map(({ lane, ms }) => `${lane}: back after ${ms} ms`);
}

export function causesOf(calls: readonly CallRecord[]): Map<string, number> {
  const causes = new Map<string, number>();
  for (const { degraded } of calls) if (degraded !== undefined) causes.set(degraded, (causes.get(degraded) ?? 0) + 1);
  return causes;
}

/** Units that the server admitted by its replies. */
export function admittedByServer(calls: readonly CallRecord[], limiter: CallRecord["limiter"]): number {
  return calls
    .filter((call) => call.limiter === limiter && call.verb !== "peek" && call.admitted && call.degraded === undefined)
    .reduce((sum, { units }) => sum + units, 0);
}

/** Limits beyond which the server admitted units, given the refill and the units that it is known to have lost. */
export function overAdmitted(
  { calls }: Run<unknown>,
  lost: (limiter: CallRecord["limiter"]) => number = () => 0,
): string[] {
  const tight = admittedByServer(calls, "tight");
  const rapid = admittedByServer(calls, "rapid");
  const rapidCalls = calls.filter(({ limiter }) => limiter === "rapid");
  const lastedMs = Math.max(...rapidCalls.map(({ endedMs }) => endedMs)) - rapidCalls[0]!.startedMs;
  const mostTight = TIGHT + lost("tight");
  const mostRapid = Math.floor(PER_SECOND * (1 + lastedMs / 1_000)) + lost("rapid");
  const over: string[] = [];
  if (tight > mostTight) over.push(`tight: expected at most ${mostTight}, got ${tight}`);
  if (rapid > mostRapid) over.push(`rapid: expected at most ${mostRapid}, got ${rapid}`);
  return over;
}

/** Whether the server decided. If the call returns only yes or no, under the policy deny a yes is from the server. */
function isFromServer({ returns, admitted, degraded }: CallRecord): boolean {
  return returns === "answer" ? admitted : degraded === undefined;
}

/** A denial that may be from the cache: only this limiter has long ones that can be extrapolated. */
function isRemembered({ limiter, admitted, degraded }: CallRecord): boolean {
  return limiter === "tight" && !admitted && degraded === undefined;
}

function againstFraction(lane: string, degraded: readonly CallRecord[]): string[] {
  const tight = degraded.filter(({ limiter }) => limiter === "tight");
  const admitted = tight.filter((call) => call.admitted).length;
  const expected = Math.min(tight.length, Math.floor(TIGHT * FRACTION));
  return admitted === expected ? [] : [`${lane}: expected ${expected} of ${tight.length} admitted, got ${admitted}`];
}
