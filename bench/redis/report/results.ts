import type { Spread } from "../../report/spread.ts";
import type { Failure } from "../measure/rounds.ts";
import type { Workload } from "../workload.ts";

/** What a run found out. */
export interface Results {
  readonly contenders: readonly ContenderRow[];
  readonly rows: readonly Row[];
  readonly failures: readonly Failure[];
}

/** How variants were set up, and what they keep in the server. */
export interface ContenderRow {
  readonly who: string;
  readonly options: string;
  readonly workloads: readonly Workload[];
  /** Of a key under a user key of 16 characters. */
  readonly bytes: number;
}

/** A variant with so many calls in flight. */
export interface Row {
  readonly variant: string;
  readonly who: string;
  readonly workload: Workload;
  readonly inFlight: number;
  readonly decisionsPerSecond: Spread;
  /** Beside INCR, and beside rate-limiter-flexible on a plain client, with the same workload: decisions a second. */
  readonly overIncr: Spread | undefined;
  readonly overFlexible: Spread | undefined;
  readonly p50Ms: Spread;
  readonly p99Ms: Spread;
  readonly clientUs: Spread;
  readonly commandUs: Spread;
  readonly serverUs: Spread;
  readonly commandsPerDecision: Spread;
}
