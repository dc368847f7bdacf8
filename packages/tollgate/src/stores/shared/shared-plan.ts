import { CompiledPlan } from "../../algorithms/compiled-plan.ts";
import { REACH_US } from "../../algorithms/ticks.ts";
import { TollgateError } from "../../core/errors.ts";
import type { Limit } from "../../core/limits/limit.ts";
import { countsNameIn, isSameLimit, type Plan } from "../../core/plan.ts";
import type { Report } from "../../core/report.ts";
import { createTimeCell, type TimeCell } from "../../core/time-cell.ts";
import { VERBS, type Verb } from "../../core/verbs.ts";
import { KeyFingerprints } from "./key-fingerprints.ts";
import type { PlanNumbers } from "./plan-rows.ts";
import { NO_PLAN } from "./shared-slots.ts";
import type { SlotValues } from "./slot-values.ts";
import type { Taking } from "./taking.ts";

/** A call of a verb on the key with a hash, one checked cost for each limit. */
export interface KeyCall {
  readonly low: number;
  readonly high: number;
  readonly verb: Verb;
  readonly costs: readonly number[];
  readonly report: Report;
  /** Where the report's entries begin. */
  readonly at: number;
}

/**
 * One thread's view of a plan: how its keys are hashed, its kernels, and the copy of a key's cells on which a call is
 * decided.
 */
export class SharedPlan {
  readonly plan: Plan;
  readonly fingerprints: KeyFingerprints;
  readonly values: SlotValues;
  /** Its number among all plans of the store. */
  readonly number: number;
  /** Whether the copy has to be published. */
  hasChanged = false;
  /** Set during a call that a limiter may revoke. */
  taking: Taking | undefined;
  /** The time of the current call. */
  readonly now: TimeCell = createTimeCell();
  /** The time at which keys of other calls have to be idle, so that this call may have their slots. */
  readonly #idleAt: TimeCell = createTimeCell();
  /** Set if `tryTake` alone can decide a call: no limit is in shadow mode, and none starts empty. */
  plain: CompiledPlan | undefined;
  /** Compiled again at the first call: that call may set the origin from which ticks count. */
  #compiled: CompiledPlan;
  /** The kernels are exact between these moments. */
  #exactFromUs = Number.POSITIVE_INFINITY;
  #exactUntilUs = Number.NEGATIVE_INFINITY;
  #limitHashes: readonly number[] | undefined = undefined;
  readonly #isPlain: boolean;
  readonly #rows: PlanNumbers;
  readonly #earliestUs: (nowUs: number) => number;

  /** `earliestUs` returns the earliest time of all limiters that may call at this moment. */
  constructor(
    plan: Plan,
    secret: Int32Array,
    rows: PlanNumbers,
    values: SlotValues,
    earliestUs: (nowUs: number) => number,
  ) {
    this.plan = plan;
    this.#earliestUs = earliestUs;
    this.values = values;
    this.fingerprints = new KeyFingerprints(secret, plan);
    this.number = rows.numberOf(this.fingerprints.planLow, this.fingerprints.planHigh);
    this.#rows = rows;
    this.#compiled = new CompiledPlan(plan, 0);
    this.#isPlain = plan.enforces.every(Boolean) && !this.#compiled.startsEmpty;
  }

  /** Whether the plan has this limit, whatever its numbers are. */
  has(limit: Limit): boolean {
    return this.plan.limits.some((own) => isSameLimit(own, limit));
  }

  /** How the log names each limit, whichever key it counts. */
  get limitHashes(): readonly number[] {
    this.#limitHashes ??= this.plan.limits.map((limit) => this.fingerprints.hashName(countsNameIn(this.plan, limit)));
    return this.#limitHashes;
  }

  /** How the log names each limit of the key with this hash, as all plans that may count it do. */
  resetHashesOf(high: number): readonly number[] {
    return this.limitHashes.map((limitHash) => limitHash ^ high ^ this.fingerprints.planHigh);
  }

  /** The kernels, once `setTime` has returned. */
  get compiled(): CompiledPlan {
    return this.#compiled;
  }

  /** Whether the kernels are exact at this moment. */
  isExactAt(now: TimeCell): boolean {
    return now[0]! >= this.#exactFromUs && now[0]! <= this.#exactUntilUs;
  }

  /**
   * Sets the time of the current call, and ensures that the kernels are exact at that time.
   *
   * @throws TollgateError `ERR_CLOCK` if it is more than 20 years from the first call's.
   */
  setTime(nowUs: number): void {
    // Before the time of the call is set, because a clock may call limiters.
    const idleAtUs = this.#earliestUs(nowUs);
    this.#idleAt[0] = idleAtUs;
    this.now[0] = nowUs;
    if (this.isExactAt(this.now)) return;
    const originUs = this.#rows.originOf(this.number, nowUs);
    if (Math.abs(nowUs - originUs) > REACH_US) {
      throw new TollgateError(
        "ERR_CLOCK",
        `clock.now(): expected a time within 20 years of the first call's, ${originUs / 1000}, ` +
          `for keys that threads share, got ${nowUs / 1000}`,
      );
    }
    this.#compiled = new CompiledPlan(this.plan, originUs);
    this.#rows.describe(this.number, this.#compiled, originUs);
    this.plain = this.#isPlain ? this.#compiled : undefined;
    this.#exactFromUs = originUs - REACH_US;
    this.#exactUntilUs = originUs + REACH_US;
  }

  /** Records that the plan may have keys, before this thread inserts one. */
  markInserted(): void {
    this.#rows.markInserted(this.number);
  }

  /** Whether the plan may have keys: false if no thread has ever inserted one. */
  get mayHaveKeys(): boolean {
    return this.#rows.mayHaveKeys(this.number);
  }

  /** Decides a call on the copy of a known key's cells, or on the cells of a new key. */
  run(key: "known" | "new", { verb, costs, report, at }: KeyCall): boolean {
    const compiled = this.#compiled;
    const { cells } = this.values;
    const { now } = this;
    compiled.begin(key, cells, 0, now);
    this.taking?.noteBefore(cells, key === "new");
    const admitted = compiled.apply(VERBS[verb], cells, 0, costs, now, report, at);
    this.hasChanged = compiled.mustStore;
    return admitted;
  }

  /** Publishes the copy in a slot whose state is still this one. */
  publish(slot: number, low: number, high: number): number {
    const { cells, expiry } = this.values;
    if (this.values.keepsExpiry) this.#compiled.noteExpiry(cells, 0, this.now, expiry);
    return this.values.publish(slot, low, high);
  }

  /** Whether the key in a slot is idle. The key may belong to any plan. Overwrites the copy. */
  isSlotIdle(plan: number, slot: number, low: number, high: number): boolean {
    if (plan === NO_PLAN) return false;
    // Several cells tell exactly, without entries that are written off. For a tick, only the kernels of its own plan
    // are exact.
    if (plan !== this.number || this.values.cells.length > 1)
      return this.values.isIdle(slot, low, high, plan, this.#idleAt);
    this.values.read(slot, low, high);
    return this.#compiled.isIdle(this.values.cells, 0, this.#idleAt);
  }
}
