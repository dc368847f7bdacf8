import { CompiledPlan } from "../../algorithms/compiled-plan.ts";
import type { Plan } from "../../core/plan.ts";
import { Report } from "../../core/report.ts";
import type { SyncSpace } from "../../core/store.ts";
import type { TimeCell } from "../../core/time-cell.ts";
import { VERBS, type Verb } from "../../core/verbs.ts";
import { denyForCapacity } from "../local/overflow.ts";

/**
 * A space of limits chosen per call for which there is no memory: its keys are denied for lack of capacity. An error
 * could let calls pass, because adapters admit requests about which a limiter throws.
 */
export class FullSpace implements SyncSpace {
  readonly plan: Plan;
  readonly size = 0;
  readonly #countOverflow: () => void;
  readonly #compiled: CompiledPlan;

  constructor(plan: Plan, countOverflow: () => void) {
    this.plan = plan;
    this.#countOverflow = countOverflow;
    this.#compiled = new CompiledPlan(plan, 0);
  }

  allow(key: string, cost: number, now: TimeCell): boolean {
    const costs = this.plan.countsNumber.map((counts) => (counts ? cost : 0));
    return this.apply("take", key, costs, now, new Report(), 0);
  }

  apply(verb: Verb, _key: string, costs: readonly number[], now: TimeCell, report: Report, at: number): boolean {
    const { changes, refunds } = VERBS[verb];
    if (changes && !refunds) this.#countOverflow();
    return denyForCapacity(this.#compiled, new Float64Array(this.#compiled.width), now, costs, report, at);
  }

  drop(): void {}
  clear(): void {}

  sweep(): number {
    return 0;
  }

  maintain(): void {}
  release(): void {}
}
