import type { Clock } from "../../../core/clock.ts";
import type { Plan } from "../../../core/plan.ts";
import type { Stand } from "../failure/failure-policy.ts";
import type { TransactionOutcome } from "../script/decode-reply.ts";
import type { ScriptKey, ScriptTransaction } from "../script/encode-call.ts";

/** What has to be known of the space that a call is for. */
export interface KeySpace {
  readonly plan: Plan;
  /** That of its limiter. */
  readonly clock: Clock;
  readonly stand: Stand;
}

/** A key of a space, and what a call costs there. */
export interface KeyCall extends ScriptKey {
  readonly space: KeySpace;
  /** The user's, where `name` is the server's. */
  readonly key: string;
}

/** A transaction, and who waits for it. */
export interface Work extends ScriptTransaction {
  readonly keys: readonly KeyCall[];
  /** `decidedUs`: the moment of the newest call that it was sent with; the server decided then or later. */
  done(outcome: TransactionOutcome, decidedUs: number): void;
  failed(error: unknown): void;
}
