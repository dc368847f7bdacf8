import type { LimiterName } from "./limits.ts";

/** One call that the traffic made, and how it ended. Times are those of `performance.now()`. */
export interface CallRecord {
  readonly lane: string;
  readonly limiter: LimiterName;
  readonly verb: "allow" | "consume" | "refund" | "peek";
  readonly key: string;
  readonly units: number;
  readonly startedMs: number;
  /** `NaN` as long as it is under way. */
  endedMs: number;
  admitted: boolean;
  /** Why it was decided without the server. */
  degraded: string | undefined;
  /** Whether that is known: the shortest way tells yes or no alone. */
  readonly tells: "decision" | "answer";
  /** What it threw. */
  error: unknown;
}

/** Calls that were never sent, or refused before anything was written. */
const NOTHING_DONE: ReadonlySet<string> = new Set([
  "bypassed",
  "circuit open",
  "the cluster is down",
  "the server is out of memory",
  "the slot is moving",
]);

export type Landing = "yes" | "no" | "maybe";

/** Whether its units were counted on the server. */
export function landing(call: CallRecord): Landing {
  if (call.verb === "peek") return "no";
  if (call.tells === "answer") return call.admitted ? "yes" : "maybe";
  if (call.degraded === undefined) return call.admitted ? "yes" : "no";
  return NOTHING_DONE.has(call.degraded) ? "no" : "maybe";
}

/** For messages. */
export function show(call: CallRecord): string {
  const took = Math.round(call.endedMs - call.startedMs);
  const how = call.degraded ?? (call.admitted ? "admitted" : "denied");
  return `${call.lane}: ${call.limiter}.${call.verb}(${call.key}, ${call.units}) at ${Math.round(call.startedMs)}: ${how} after ${took} ms`;
}
