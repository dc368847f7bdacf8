import type { Limit } from "../../core/limits/limit.ts";
import { actingAs } from "../../core/limits/limit-common.ts";
import { createPlan, isSameLimit, type Plan } from "../../core/plan.ts";

/**
 * The plan with the numbers under which a key was counted first, in the place of a plan's own; `undefined` if these are
 * its own. `counted` are the limits that count the key.
 */
export function firstPlan(plan: Plan, counted: readonly Limit[]): Plan | undefined {
  const limits = plan.limits.map((limit): Limit => {
    const first = counted.find((one) => isSameLimit(one, limit));
    return first === undefined ? limit : actingAs(first, limit);
  });
  const first = createPlan(plan.scope, plan.limiter, limits, "carry-over");
  return first.id === plan.id ? undefined : first;
}
