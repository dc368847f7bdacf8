import { expect, it } from "vitest";
import { pass } from "../../../chaos/kit/traffic-run.ts";
import { eventuallyTrue } from "../../../servers/eventually.ts";
import { TIMEOUT_MS, type Told } from "./incident-run.ts";
import { CAPACITY, type NodeCall, type NodeLane } from "./node-lane.ts";

/** The times of an incident, by `performance.now()`. */
export interface Incident {
  /** No answer comes from here on, */
  readonly fromMs: number;
  /** and until here. */
  readonly untilMs: number;
  /** All nodes have leases again. */
  readonly leasedMs: number;
}

/** How much longer than its timeout a call may take, in addition to the lag of the process. */
const GRACE_MS = 30;
/** Calls that show that the state is stable. */
const AFTERWARDS_MS = 700;
/** Nodes probe a server twice a second, and clients ask their Sentinels once. */
const PATIENCE_MS = 20_000;
/** A process that lagged for this part of a timeout may have made a call time out. */
const STARVED = 1 / 4;
/** Causes of calls that the server did not count for certain. */
const NOTHING_DONE: ReadonlySet<string> = new Set(["circuit open"]);

/** Promises in every incident. */
export function itStandsThrough(told: () => Told<unknown>): void {
  it("every call of a node ends within its timeout, and no rejection is unhandled", () => {
    const { nodes, lag, uncaught, hanging } = told();
    expect({ hanging, uncaught }).toEqual({ hanging: 0, uncaught: [] });
    expect(nodes.flatMap(({ calls }) => calls).filter(({ error }) => error !== undefined)).toEqual([]);
    const late = nodes.flatMap(({ name, calls, timeoutMs }) =>
      calls
        .filter(({ startedMs, endedMs }) => {
          return endedMs - startedMs - lag.sumMs(startedMs, endedMs) > timeoutMs + GRACE_MS;
        })
        .map(({ startedMs, endedMs, degraded }) => `${name}: ${Math.round(endedMs - startedMs)} ms, ${degraded}`),
    );
    expect(late).toEqual([]);
  });

  it("decisions without the server follow onFailure", () => {
    for (const { policy, calls } of told().nodes) {
      const degraded = calls.filter((call) => call.degraded !== undefined);
      expect(degraded.filter(({ admitted }) => admitted !== (policy === "allow"))).toEqual([]);
    }
  });
}

/** What a node held when the server was gone, and after it was decided without it. */
export interface Spent {
  readonly node: NodeLane;
  readonly held: number;
  /** `undefined` for a node that was not made to spend all. */
  readonly left: number | undefined;
}

/** Lets all nodes except the last one call until `onFailure` decides. */
export async function spendAll(nodes: readonly NodeLane[]): Promise<readonly Spent[]> {
  return Promise.all(
    nodes.map(async (node, i) => {
      const { held } = node;
      if (i === nodes.length - 1) return { node, held, left: undefined };
      await node.spendAll();
      return { node, held, left: node.held };
    }),
  );
}

export function itSpendsWhatItHolds(told: () => Told<Incident & { readonly spent: readonly Spent[] }>): void {
  it("a node spends all that it holds while the server is gone, then onFailure decides", () => {
    const { spent, fromMs, untilMs } = told().result;
    for (const { node, held, left } of spent) {
      const gone = node.calls.filter(({ startedMs, endedMs }) => startedMs >= fromMs && endedMs <= untilMs);
      const own = gone.filter(({ degraded }) => degraded === undefined);
      expect(own.length).toBeGreaterThanOrEqual(Math.min(held, gone.length));
      if (left === undefined) continue;
      expect({ left, ofLast: typeof gone.at(-1)?.degraded }).toEqual({ left: 0, ofLast: "string" });
    }
    expect(spent.some(({ held }) => held > 0)).toBe(true);
  });
}

/** Waits until all nodes have leases of a server that is back, and some time more. @returns when they had them. */
export async function untilLeased(nodes: readonly NodeLane[]): Promise<number> {
  const hasLeases = ({ store, held, calls }: NodeLane): boolean => {
    const last = calls.findLast(({ endedMs }) => !Number.isNaN(endedMs));
    return store.breaker === "closed" && held > 0 && last?.degraded === undefined;
  };
  await eventuallyTrue("leases of all nodes", () => nodes.every(hasLeases), { patienceMs: PATIENCE_MS });
  const leasedMs = performance.now();
  await pass(AFTERWARDS_MS);
  return leasedMs;
}

export function itIsBack(told: () => Told<Incident>): void {
  it("the nodes take leases again when the server is back, and onFailure decides no more", () => {
    const { nodes, lag, result } = told();
    const late = nodes.flatMap(({ calls }) => calls.filter(({ startedMs }) => startedMs > result.leasedMs));
    expect(late.length).toBeGreaterThan(0);
    const isStarved = ({ startedMs, endedMs, degraded }: NodeCall): boolean =>
      degraded === "timed out" && lag.sumMs(startedMs, endedMs) >= TIMEOUT_MS * STARVED;
    expect(late.filter((call) => call.degraded !== undefined && !isStarved(call))).toEqual([]);
  });
}

/** The server has all its data. */
export function itCountsAll(told: () => Told<unknown>): void {
  it("the server counts each unit once, and every lease", () => {
    const { nodes, used, inLeases, admitsLeft, admitsMore } = told();
    const calls = nodes.flatMap((node) => node.calls);
    const admitted = calls.filter(isDecided).length;
    expect(used).toBeGreaterThanOrEqual(admitted);
    expect(used).toBeLessThanOrEqual(admitted + inLeases + calls.filter(mayCount).length);
    expect({ admitsLeft, admitsMore }).toEqual({ admitsLeft: true, admitsMore: false });
  });
}

/** The server has lost data, and nodes held so many units then. */
export function itLosesAtMostACapacity(told: () => Told<{ readonly lostMs: number; readonly held: number }>): void {
  it("at most one more capacity is admitted: what nodes held, and what the server has", () => {
    const { nodes, used, inLeases, result, admitsLeft, admitsMore } = told();
    const calls = nodes.flatMap((node) => node.calls);
    const after = calls.filter((call) => isDecided(call) && call.endedMs >= result.lostMs).length;
    const certain = calls.filter((call) => isDecided(call) && call.startedMs >= result.lostMs).length;
    const maybe = calls.filter((call) => mayCount(call) && call.endedMs >= result.lostMs).length;
    expect(used).toBeGreaterThanOrEqual(certain - result.held);
    expect(used).toBeLessThanOrEqual(after + inLeases + maybe);
    expect({ admitsLeft, admitsMore }).toEqual({ admitsLeft: true, admitsMore: false });
    expect(calls.filter(isDecided).length + CAPACITY - used).toBeLessThanOrEqual(2 * CAPACITY);
  });
}

function isDecided({ admitted, degraded }: NodeCall): boolean {
  return admitted && degraded === undefined;
}

function mayCount({ degraded }: NodeCall): boolean {
  return degraded !== undefined && !NOTHING_DONE.has(degraded);
}
