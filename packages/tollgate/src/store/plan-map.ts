import type { Plan, Scope } from "../core/plan.ts";

/**
 * What a store keeps for each plan. Plans of equal scope and id have one value, because they share their keys.
 *
 * @example
 * ```ts
 * import { perHour, perSecond } from "tollgate";
 * import { createPlan, PlanMap } from "tollgate/store";
 *
 * const cellsOfKeys = new PlanMap(() => new Map<string, Float64Array>());
 * const plan = createPlan("api", "api", [perSecond(5), perHour(100)]);
 * const reordered = createPlan("api", "api", [perHour(100), perSecond(5)]);
 * const another = createPlan("login", "login", [perSecond(5), perHour(100)]);
 * console.log(cellsOfKeys.of(plan) === cellsOfKeys.of(reordered)); // true
 * console.log(cellsOfKeys.of(plan) === cellsOfKeys.of(another)); // false
 * ```
 */
export class PlanMap<Value> {
  readonly #create: (plan: Plan) => Value;
  readonly #values = new Map<Scope, Map<string, Value>>();

  /** `create` makes the value of a plan that has none. */
  constructor(create: (plan: Plan) => Value) {
    this.#create = create;
  }

  /** The value of a plan, created if necessary. */
  of(plan: Plan): Value {
    const ofScope = this.#values.get(plan.scope) ?? new Map<string, Value>();
    const known = ofScope.get(plan.id);
    if (known !== undefined) return known;
    const value = this.#create(plan);
    this.#values.set(plan.scope, ofScope.set(plan.id, value));
    return value;
  }

  /** Forgets a plan's value, such as the empty Map of a list of limits that is no longer chosen. */
  delete({ scope, id }: Plan): void {
    const ofScope = this.#values.get(scope);
    ofScope?.delete(id);
    if (ofScope?.size === 0) this.#values.delete(scope);
  }
}
