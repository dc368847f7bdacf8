import type { LimitsStatus } from "./limits-files.ts";
import type { LimitsInForce, LimitsSource } from "./limits-in-force.ts";

/** What is told of limits in force. */
export interface LimitsSummary {
  /** That of the file, without overrides. */
  readonly version: string;
  readonly source: LimitsSource;
  readonly sinceMs: number;
  readonly overrides: number;
  /** Whether the files have been refused since. */
  readonly files: LimitsStatus["state"];
}

/** Which limits the primary process has put in force. */
export interface LimitsState extends LimitsSummary {
  /** Counts the changes: a state with a greater one is a later one. */
  readonly number: number;
  /** The limits with overrides, as JSON: a worker reads a long text in a tenth of the time that objects would take. */
  readonly effective: string;
  /** The domain that decides `/check`. It stays when other limits have another first domain. */
  readonly checkDomain: string | undefined;
  /** With it, workers hash facts of requests that they keep for operators. `undefined`: they keep no requests. */
  readonly salt: string | undefined;
}

export function summaryOf(
  { version, source, since, overrides }: LimitsInForce,
  { state }: LimitsStatus,
): LimitsSummary {
  return { version, source, sinceMs: since.getTime(), overrides: overrides.length, files: state };
}
