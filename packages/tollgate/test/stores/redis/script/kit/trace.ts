import type { TransactionOutcome } from "../../../../../src/stores/redis/script/decode-reply.ts";
import type { ScriptTransaction } from "../../../../../src/stores/redis/script/transaction.ts";

/** One call of the script, and what the memory store made of the same. */
export interface TraceStep {
  readonly transactions: readonly ScriptTransaction[];
  readonly expected: readonly TransactionOutcome[];
}

/** What happens to a few keys, call by call. */
export interface Trace {
  readonly seed: number;
  readonly steps: readonly TraceStep[];
  /** Every key that may be there in the end. */
  readonly names: readonly string[];
}
