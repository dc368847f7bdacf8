import type { Clock } from "../../../core/clock.ts";
import type { Plan } from "../../../core/plan.ts";
import type { LimiterContext } from "../../../core/store.ts";
import type { Fallback } from "../../remote/without-server.ts";
import type { ScriptKey, ScriptTransaction } from "../script/transaction.ts";

/** What a call needs from its space. */
export interface KeySpace {
  readonly plan: Plan;
  readonly context: LimiterContext;
  /** The limiter's clock. */
  readonly clock: Clock;
  readonly fallback: Fallback;
}

/** A key of a space, and the costs of a call. */
export interface KeyCall extends ScriptKey {
  readonly space: KeySpace;
  /** The user's key; `name` is the key's name on the server. */
  readonly key: string;
  /** Names the counts of the plan in the row: all that may carry over have one name. */
  readonly countsName: string;
}

/** Options of a call beside the verb. */
export interface AskOptions extends Pick<ScriptTransaction, "takenUs" | "block" | "lease" | "receipt"> {
  /** The moment of the call in whole microseconds, if it is not the caller's. */
  readonly nowUs?: number;
}
