import { CompiledPlan } from "../../../algorithms/compiled-plan.ts";
import type { Plan } from "../../../core/plan.ts";
import { Report } from "../../../core/report.ts";
import type { TimeCell } from "../../../core/time-cell.ts";
import { VERBS, type VerbTraits } from "../../../core/verbs.ts";
import type { LocalKey } from "./local-keys.ts";

/** Applies verbs to the cells of a key in this process, and keeps what the server has to be charged with. */
export class LocalCounts {
  readonly #compiled: CompiledPlan;
  /** Indexes into the plan's limits, in the order of their cells. */
  readonly #order: readonly number[];

  constructor(plan: Plan, nowUs: number) {
    this.#compiled = new CompiledPlan(plan, nowUs);
    this.#order = plan.cellOrder;
  }

  make(now: TimeCell): LocalKey {
    const cells = new Float64Array(this.#compiled.width);
    this.#compiled.init(cells, 0, now);
    return { cells, uncharged: new Float64Array(this.#order.length) };
  }

  apply(verb: VerbTraits, { cells }: LocalKey, costs: readonly number[], now: TimeCell): Report {
    const report = new Report();
    this.#compiled.begin("known", cells, 0, now);
    report.admitted = this.#compiled.apply(verb, cells, 0, costs, now, report, 0);
    return report;
  }

  /** Takes a cost if it conforms. Units that have come back meanwhile are not charged later. */
  take(known: LocalKey, costs: readonly number[], now: TimeCell): Report {
    const report = this.apply(VERBS.take, known, costs, now);
    const { uncharged } = known;
    this.#order.forEach((limit, at) => {
      const taken = report.admitted && report.conforms[limit]! ? costs[limit]! : 0;
      uncharged[at] = Math.min(uncharged[at]!, report.used[limit]! - taken);
    });
    return report;
  }

  /** The server has to be charged with a cost that was taken here: not of shadow limits that it exceeds. */
  noteUncharged({ uncharged }: LocalKey, costs: readonly number[], { conforms }: Report): void {
    this.#order.forEach((limit, at) => {
      if (conforms[limit]!) uncharged[at]! += costs[limit]!;
    });
  }

  /** What the server has to be charged with; `undefined` for nothing. It counts as charged then. */
  takeUncharged({ uncharged }: LocalKey): readonly number[] | undefined {
    if (uncharged.every((units) => units === 0)) return undefined;
    const costs = this.#order.map(() => 0);
    this.#order.forEach((limit, at) => {
      costs[limit] = uncharged[at]!;
    });
    uncharged.fill(0);
    return costs;
  }
}
