import { CompiledPlan } from "../algorithms/compiled-plan.ts";
import { REACH_US } from "../algorithms/ticks.ts";
import type { Limit } from "../core/limits/limit.ts";
import type { Plan } from "../core/plan.ts";
import { Report } from "../core/report.ts";
import type { Taken } from "../core/taken.ts";
import { createTimeCell, type TimeCell } from "../core/time-cell.ts";
import { VERBS, type Verb, type VerbTraits } from "../core/verbs.ts";
import { correctLimits } from "../stores/local/correct-limits.ts";
import { denyForCapacity } from "../stores/local/overflow.ts";

/**
 * A plan's verbs, applied to the cells of one key: all that a store needs to decide, wherever it keeps the cells. They
 * are `width` numbers, some of which may be infinite. The last is the origin from which the others count time, so cells
 * may be kept for decades, and be read by another process.
 *
 * Costs are checked, one per limit of the plan. Without cells the key is new.
 *
 * @example
 * ```ts
 * import { perMinute } from "tollgate";
 * import { createPlan, createTimeCell, PlanVerbs, Report } from "tollgate/store";
 *
 * const verbs = new PlanVerbs(createPlan("api", "api", [perMinute(3)]));
 * const now = createTimeCell(0);
 * const report = new Report();
 * console.log(verbs.apply("take", undefined, [2], now, report, 0), report.used[0]); // true 2
 *
 * const cells = verbs.changed; // store them under the key
 * console.log(cells?.length === verbs.width); // true
 * if (cells) console.log(verbs.allow(cells, 1, now), verbs.allow(cells, 1, now)); // true false
 * ```
 */
export class PlanVerbs {
  readonly plan: Plan;
  /** How many cells a key has. */
  readonly width: number;
  /**
   * The cells that the last call left for the store to keep under its key; `undefined` if it has nothing to write. They
   * are those that the call was given, or a new array for a new key.
   */
  changed: Float64Array | undefined;
  /** The plan compiled for the origins met so far: at most one for each 20 years. */
  readonly #compiledAt = new Map<number, CompiledPlan>();
  #compiled: CompiledPlan;
  #originUs = 0;
  /** Whether `allow` takes a plain cost from known cells, without a report. */
  readonly #isPlain: boolean;
  readonly #scratch: Float64Array;
  readonly #costs: number[];
  readonly #report = new Report();
  readonly #expiry = createTimeCell();

  constructor(plan: Plan) {
    this.plan = plan;
    this.#compiled = this.#compileAt(0);
    this.width = this.#compiled.width + 1;
    this.#isPlain = plan.enforces.every(Boolean) && !this.#compiled.startsEmpty;
    this.#scratch = new Float64Array(this.width);
    this.#costs = plan.limits.map(() => 0);
  }

  /** A plain cost as one cost per limit. The list is reused by the next call. */
  costsOf(cost: number): readonly number[] {
    const { countsNumber } = this.plan;
    for (let i = 0; i < countsNumber.length; i += 1) this.#costs[i] = countsNumber[i]! ? cost : 0;
    return this.#costs;
  }

  /** The hot path: `take` with a plain cost from the cells of a known key, which it changes in place. */
  allow(cells: Float64Array, cost: number, now: TimeCell): boolean {
    this.#reach(now);
    if (!this.#isPlain) return this.apply("take", cells, this.costsOf(cost), now, this.#report, 0);
    const isAdmitted = this.#compiled.plainTake.tryTake(this.#restated(cells), 0, now, cost);
    this.changed = isAdmitted ? cells : undefined;
    return isAdmitted;
  }

  /**
   * Applies a verb, fills the report's entries from `at` on, and sets `changed`. A verb that changes cells changes the
   * given ones in place. With `taken`, a `refund` or a `renew` corrects that take, as far as it still counts.
   *
   * @returns whether every enforcing limit conformed.
   */
  apply(
    verb: Verb,
    cells: Float64Array | undefined,
    costs: readonly number[],
    now: TimeCell,
    report: Report,
    at: number,
    taken?: Taken,
  ): boolean {
    const traits = VERBS[verb];
    this.#reach(now);
    if (taken !== undefined && (traits.refunds || traits.renews))
      return this.#correct(traits, cells, costs, now, report, at, taken);
    let work = this.#scratch;
    if (cells === undefined) work[this.width - 1] = this.#originUs;
    else work = this.#restated(traits.changes ? cells : this.#copyOf(cells));
    this.#compiled.begin(cells === undefined ? "new" : "known", work, 0, now);
    const isAdmitted = this.#compiled.apply(traits, work, 0, costs, now, report, at);
    this.changed = undefined;
    if (this.#compiled.mustStore) this.changed = work === cells ? cells : work.slice();
    return isAdmitted;
  }

  /**
   * Reports on a new key for which the store has no capacity: enforcing limits deny what costs something, with reason
   * `"store-full"`.
   *
   * @returns whether every enforcing limit conformed.
   */
  deny(costs: readonly number[], now: TimeCell, report: Report, at: number): boolean {
    this.#reach(now);
    this.changed = undefined;
    return denyForCapacity(this.#compiled, this.#scratch, now, costs, report, at);
  }

  /** Whether nothing counts against the key any more, so that its cells can be dropped. */
  isIdle(cells: Float64Array, now: TimeCell): boolean {
    this.#reach(now);
    return this.#compiled.isIdle(this.#restated(this.#copyOf(cells)), 0, now);
  }

  /** The moment from which the key is idle if nothing else arrives, in microseconds since the epoch: an expiry date. */
  idleAtUs(cells: Float64Array, now: TimeCell): number {
    this.#reach(now);
    this.#compiled.noteExpiry(this.#restated(this.#copyOf(cells)), 0, now, this.#expiry);
    return this.#expiry[0]!;
  }

  #correct(
    verb: VerbTraits,
    cells: Float64Array | undefined,
    costs: readonly number[],
    now: TimeCell,
    report: Report,
    at: number,
    taken: Taken,
  ): boolean {
    const { parts } = this.#compiled;
    const kept = cells && this.#restated(cells);
    const find = (_limit: Limit, i: number) => kept && { kernel: parts[i]!.kernel, cells: kept, at: parts[i]!.offset };
    this.changed = kept;
    return correctLimits(this.#compiled, find, verb, costs, now, report, at, taken);
  }

  #copyOf(cells: Float64Array): Float64Array {
    this.#scratch.set(cells);
    return this.#scratch;
  }

  /** The cells, restated in place for the current origin. */
  #restated(cells: Float64Array): Float64Array {
    const writtenAtUs = cells[this.width - 1]!;
    if (writtenAtUs === this.#originUs) return cells;
    this.#compiled.rebase(cells, 0, this.#compileAt(writtenAtUs));
    cells[this.width - 1] = this.#originUs;
    return cells;
  }

  /** Makes the kernels exact at this moment. */
  #reach(now: TimeCell): void {
    if (Math.abs(now[0]! - this.#originUs) < REACH_US) return;
    this.#originUs = Math.round(now[0]! / REACH_US) * REACH_US;
    this.#compiled = this.#compileAt(this.#originUs);
  }

  #compileAt(originUs: number): CompiledPlan {
    const known = this.#compiledAt.get(originUs);
    if (known !== undefined) return known;
    const compiled = new CompiledPlan(this.plan, originUs);
    this.#compiledAt.set(originUs, compiled);
    return compiled;
  }
}
