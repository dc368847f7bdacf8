import type { Clock } from "../../../core/clock.ts";
import type { Plan } from "../../../core/plan.ts";
import type { Stand } from "../failure/failure-policy.ts";
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

/** What is asked beside the verb. */
export interface AskOptions extends Pick<ScriptTransaction, "tellsTime" | "takenUs"> {
  /** The moment of what is asked in whole microseconds, where it is not that of the call: looked at where the time is the client's. */
  readonly nowUs?: number;
}
