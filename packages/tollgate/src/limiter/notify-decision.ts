import type { Cost } from "../core/cost.ts";
import type { Decision } from "../core/decision.ts";
import type { DecisionObservation, Observer } from "../core/observer.ts";

/**
 * What observers call a verb. `undefined` for verbs that they are not notified of. A correction is a `charge` that adds
 * to a decision.
 */
export type ObservedVerb = DecisionObservation["verb"] | "correction" | undefined;

/** The name of a `charge`, which is a call of its own unless it was given a decision. */
export function chargeName(decision: Decision | undefined): "charge" | "correction" {
  return decision === undefined ? "charge" : "correction";
}

/** What observers are notified of. */
export function observationOf(
  verb: Exclude<ObservedVerb, undefined>,
  keys: readonly string[],
  cost: Cost,
  decision: Decision,
): DecisionObservation {
  if (verb === "correction") return { type: "decision", verb: "charge", keys, cost, decision, corrects: true };
  return { type: "decision", verb, keys, cost, decision };
}

/** Notifies of a limiter's decision, and before of an outage of its store. */
export function notifyDecision(
  observe: Observer,
  limiter: string,
  verb: ObservedVerb,
  keys: readonly string[],
  cost: Cost,
  decision: Decision,
): void {
  const { degraded } = decision;
  if (degraded !== undefined) observe({ type: "degradation", limiter, cause: degraded });
  if (verb !== undefined) observe(observationOf(verb, keys, cost, decision));
}
