import type { Cost } from "../../core/cost.ts";
import type { Block, Decision } from "../../core/decision.ts";
import type { Limit } from "../../core/limits/limit.ts";
import type { DecisionObservation } from "../../core/observer.ts";

/**
 * What observers call a verb. `undefined` for verbs that they are not notified of. A correction is a `charge` that adds
 * to a decision.
 */
export type ObservedVerb = DecisionObservation["verb"] | "correction" | undefined;

/** A call that was decided, for all that watch. Its decision is made when it is read first. */
export class DecidedCall {
  readonly verb: ObservedVerb;
  /** The name of the limiter that was called. */
  readonly limiter: string;
  readonly keys: readonly string[];
  readonly cost: Cost;
  readonly allowed: boolean;
  /** Why the store was unavailable, if it was. */
  readonly degraded: string | undefined;
  /** The limit that decided the call alone, in the usual way, and its units left: known without a decision. */
  limit: Limit | undefined = undefined;
  limitRemaining = 0;
  readonly #make: () => Decision;
  #decision: Decision | undefined = undefined;
  /** Most calls are told to one listener, once. */
  #first: object | undefined = undefined;
  #firstPart = "";
  #told: Map<object, string[]> | undefined = undefined;

  constructor(
    verb: ObservedVerb,
    limiter: string,
    keys: readonly string[],
    cost: Cost,
    outcome: { readonly admitted: boolean; readonly degraded: string | undefined },
    make: () => Decision,
  ) {
    this.verb = verb;
    this.limiter = limiter;
    // Calls over stores of this process reuse the list.
    this.keys = [...keys];
    this.cost = cost;
    this.allowed = outcome.admitted;
    this.degraded = outcome.degraded;
    this.#make = make;
  }

  decidedBy(limit: Limit, remaining: number): void {
    this.limit = limit;
    this.limitRemaining = remaining;
  }

  get decision(): Decision {
    this.#decision ??= this.#make();
    return this.#decision;
  }

  /** Whether the call corrects another, of which it is a part. */
  get corrects(): boolean {
    return this.verb === "correction";
  }

  get observation(): DecisionObservation {
    const { verb, keys, cost, decision } = this;
    if (verb === "correction" || verb === undefined)
      return { type: "decision", verb: "charge", keys, cost, decision, corrects: true };
    return { type: "decision", verb, keys, cost, decision };
  }

  /** The block that the call began, by a limit with `blockFor`. */
  get begunBlock(): Block | undefined {
    const { decision } = this;
    return decision.allowed || decision.reason !== "blocked" ? decision.block : undefined;
  }

  /** Whether a listener sees the call, or a part of it, for the first time. A limiter may be part of another. */
  isFirst(listener: object, part = ""): boolean {
    if (this.#first === undefined) {
      this.#first = listener;
      this.#firstPart = part;
      return true;
    }
    if (this.#first === listener && this.#firstPart === part) return false;
    this.#told ??= new Map();
    const told = this.#told.get(listener);
    if (told === undefined) this.#told.set(listener, [part]);
    else if (told.includes(part)) return false;
    else told.push(part);
    return true;
  }
}
