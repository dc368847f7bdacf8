import type { LimiterName } from "./limits.ts";

/** A call of the traffic and its result. Times are those of `performance.now()`. */
export interface CallRecord {
  readonly lane: string;
  readonly limiter: LimiterName;
  readonly verb: "allow" | "consume" | "refund" | "peek";
  readonly key: string;
  readonly units: number;
  readonly startedMs: number;
  /** `NaN` while it is in flight. */
  endedMs: number;
  admitted: boolean;
  /** The cause of a decision without the server. */
  degraded: string | undefined;
  /** Whether the call returns a decision, or only yes or no. */
  readonly returns: "decision" | "answer";
  /** The error that it threw. */
  error: unknown;
}

/** Causes of calls that were never sent, or rejected before the first write. */
const NOTHING_DONE: ReadonlySet<string> = new Set([
  "bypassed",
  "circuit open",
  "the cluster is down",
  "the server is out of memory",
  "the slot is moving",
]);

export type Landing = "yes" | "no" | "maybe";

/** Whether the server counted the units of a call. */
export function landing(call: CallRecord): Landing {
  if (call.verb === "peek") return "no";
  if (call.returns === "answer") return call.admitted ? "yes" : "maybe";
  if (call.degraded === undefined) return call.admitted ? "yes" : "no";
  return NOTHING_DONE.has(call.degraded) ? "no" : "maybe";
}

/** The call as text, for messages. */
export function show(call: CallRecord): string {
  const took = Math.round(call.endedMs - call.startedMs);
  const how = call.degraded ?? (call.admitted ? "admitted" : "denied");
  const what = `${call.limiter}.${call.verb}(${call.key}, ${call.units})`;
  return `${call.lane}: ${what} at ${Math.round(call.startedMs)}: ${how} after ${took} ms`;
}
