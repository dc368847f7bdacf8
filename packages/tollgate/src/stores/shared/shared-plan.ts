import { CompiledPlan, idleTtlUs } from "../../algorithms/compiled-plan.ts";
import { REACH_US, Ticks } from "../../algorithms/ticks.ts";
import { toMicroseconds } from "../../core/duration.ts";
import { TollgateError } from "../../core/errors.ts";
import type { Plan } from "../../core/plan.ts";
import type { Report } from "../../core/report.ts";
import type { Verb } from "../../core/store.ts";
import { createTimeCell, type TimeCell } from "../../core/time-cell.ts";
import { KeyPrints } from "./key-fingerprints.ts";
import type { PlanRows } from "./plan-rows.ts";
import { NO_OWNER } from "./shared-slots.ts";
import type { Taking } from "./taking.ts";
import type { Values } from "./slot-values.ts";

/** A plan as one thread knows it: its keys' fingerprints, its kernels, and the call at hand, which is decided on a copy of the cells. */
export class SharedPlan {
  readonly plan: Plan;
  readonly prints: KeyPrints;
  readonly values: Values;
  /** Among all plans. */
  readonly number: number;
  /** Whether what was decided on the copy has to be published. */
  hasChanged = false;
  /** Set while a call is decided that may be taken back. */
  taking: Taking | undefined;
  /** The time of the call at hand. */
  readonly now: TimeCell = createTimeCell();
  /** Where a call can be decided by the taker alone: no limit in shadow mode, none that starts empty. */
  plain: CompiledPlan | undefined;
  /** Another one from the first call on, which may be the one that says from where ticks count. */
  #compiled: CompiledPlan;
  /** Between these moments the kernels are exact. */
  #earliestUs = Number.POSITIVE_INFINITY;
  #latestUs = Number.NEGATIVE_INFINITY;
  readonly #isPlain: boolean;
  readonly #rows: PlanRows;

  constructor(plan: Plan, secret: Int32Array, rows: PlanRows, values: Values) {
    this.plan = plan;
    this.values = values;
    this.prints = new KeyPrints(secret, plan);
    this.number = rows.numberOf(this.prints.planLow, this.prints.planHigh);
    this.#rows = rows;
    this.#compiled = new CompiledPlan(plan, 0);
    this.#isPlain = plan.enforces.every(Boolean) && !plan.startsEmpty;
  }

  /** The kernels, after `reach`. */
  get compiled(): CompiledPlan {
    return this.#compiled;
  }

  /** Whether the kernels are exact at this moment. */
  reaches(now: TimeCell): boolean {
    return now[0]! >= this.#earliestUs && now[0]! <= this.#latestUs;
  }

  /**
   * Makes sure that the kernels are exact at this moment, and notes it.
   *
   * @throws TollgateError `ERR_CLOCK` when it is too far from the first call's.
   */
  reach(nowUs: number): void {
    this.now[0] = nowUs;
    if (this.reaches(this.now)) return;
    const originUs = this.#rows.originOf(this.number, nowUs);
    if (Math.abs(nowUs - originUs) > REACH_US) {
      throw new TollgateError(
        "ERR_CLOCK",
        `clock.now(): expected a time within 20 years of the first call's, ${originUs / 1000}, for keys that threads share, got ${nowUs / 1000}`,
      );
    }
    describeTicks(this.plan, this.#rows, this.number, originUs);
    this.#compiled = new CompiledPlan(this.plan, originUs);
    this.plain = this.#isPlain ? this.#compiled : undefined;
    this.#earliestUs = originUs - REACH_US;
    this.#latestUs = originUs + REACH_US;
  }

  /** Decides the call on the copy: of a key's cells, or of nothing. */
  run(key: "known" | "new", verb: Verb, costs: readonly number[], report: Report, at: number): boolean {
    const compiled = this.#compiled;
    const { cells } = this.values;
    const { now } = this;
    const { startsEmpty } = this.plan;
    // A full bucket that should be forgotten is as good as a new one; one that starts empty is not.
    const begins = key === "new" || (startsEmpty && compiled.isIdle(cells, 0, now));
    if (begins) compiled.init(cells, 0, now);
    this.taking?.noteBefore(cells, key === "new");
    const admitted = compiled.conform(cells, 0, now, costs, report, at);
    const changed = compiled.change(verb, admitted, cells, 0, now, costs, report, at);
    const isToKeep = changed && (key === "known" || verb !== "refund");
    this.hasChanged = !looks(verb) && (isToKeep || (begins && startsEmpty));
    if (verb !== "refund") compiled.describe(cells, 0, now, costs, report, at);
    return admitted;
  }

  /** Publishes the copy. */
  publish(slot: number, low: number, high: number): number {
    const { cells, expiry } = this.values;
    // One cell says itself when it expires.
    if (cells.length > 1) this.#compiled.noteExpiry(cells, 0, this.now, expiry);
    return this.values.publish(slot, low, high);
  }

  /** Whether the key that lives in a slot is as good as new, whichever of the plans it belongs to. Its cells are copied over the copy. */
  isSlotIdle(owner: number, slot: number, low: number, high: number): boolean {
    if (owner === NO_OWNER) return false;
    // A block says it exactly, without all of its cells; a tick does by its own plan.
    if (owner !== this.number || this.values.cells.length > 1)
      return this.values.expiryOf(slot, low, high, owner) <= this.now[0]!;
    this.values.read(slot, low, high);
    return this.#compiled.isIdle(this.values.cells, 0, this.now);
  }
}

/** Whether a verb changes nothing. */
function looks(verb: Verb): boolean {
  return verb === "peek" || verb === "explain";
}

/**
 * Tells threads that do not know a plan of one cell when its keys are idle; where there are more cells, their blocks
 * say so. Ticks of an inexact scale count from before the plan's origin, by up to a period of the limit.
 */
function describeTicks({ limits }: Plan, rows: PlanRows, number: number, originUs: number): void {
  const [limit] = limits;
  if (limits.length > 1 || limit?.algorithm !== "token-bucket") return;
  const ticks = new Ticks(limit.capacity, limit.refill, toMicroseconds("per", limit.perMs), originUs);
  rows.describe(number, 1 / ticks.perUs, idleTtlUs(limit) - (originUs - ticks.originUs));
}
