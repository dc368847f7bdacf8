import type { TransactionOutcome } from "../../../../../src/stores/redis/script/decode-reply.ts";
import type { TimedTransaction } from "./script-call.ts";

/** One call of the script, and the outcomes of the memory store. */
export interface TraceStep {
  readonly transactions: readonly TimedTransaction[];
  readonly expected: readonly TransactionOutcome[];
}

/** A history of a few keys, call by call. */
export interface Trace {
  readonly seed: number;
  readonly steps: readonly TraceStep[];
  /** All keys that may exist at the end. */
  readonly names: readonly string[];
}
