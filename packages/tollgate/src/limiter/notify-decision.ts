import type { Cost } from "../core/cost.ts";
import type { Decision } from "../core/decision.ts";
import type { DecisionObservation, Observer } from "../core/observer.ts";

/** What observers call a verb. `undefined` for verbs that they are not notified of. */
export type ObservedVerb = DecisionObservation["verb"] | undefined;

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
  if (verb !== undefined) observe({ type: "decision", verb, keys, cost, decision });
}
