import { type Cost, checkCost, readUnitsInto } from "../core/cost.ts";
import type { Plan } from "../core/plan.ts";
import { Report } from "../core/report.ts";
import { createTimeCell, type TimeCell } from "../core/time-cell.ts";

/** The memory in which a decision is made. */
export class Scratch {
  readonly now: TimeCell = createTimeCell();
  readonly report: Report = new Report();
  /** One for each limit. */
  readonly costs: number[] = [];

  /** @throws TollgateError `ERR_COST`. */
  readCosts({ limits, units, countsNumber }: Plan, cost: Cost): void {
    const { costs } = this;
    if (typeof cost !== "number") {
      readUnitsInto(costs, cost, limits, units);
      return;
    }
    checkCost(cost);
    if (costs.length > limits.length) costs.length = limits.length;
    for (let i = 0; i < limits.length; i += 1) costs[i] = countsNumber[i]! ? cost : 0;
  }
}
