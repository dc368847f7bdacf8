import type { Plan } from "../core/plan.ts";
import type { Report } from "../core/report.ts";
import type { Taken } from "../core/taken.ts";
import { createTimeCell, type TimeCell } from "../core/time-cell.ts";
import { hasChanged, takesFrom, VERBS, type VerbTraits } from "../core/verbs.ts";
import { compileLimit } from "./compile-limit.ts";
import type { Kernel, PlainTake } from "./kernel.ts";
import { SeveralTakes } from "./several-takes.ts";
import type { Ticks } from "./ticks.ts";

/**
 * A plan compiled: what the verbs mean for the cells of one key, which begin at `base`. Every store that runs kernels
 * uses this, on the cells themselves or on a copy that it publishes afterwards. Costs are checked, one per limit in the
 * plan's order. The entries of a report are in the same order, and begin at `at`.
 */
export class CompiledPlan {
  readonly plan: Plan;
  /** How many cells a key needs. */
  readonly width: number;
  /** Whether a new key starts with less than everything under some limit. */
  readonly startsEmpty: boolean;
  /** How long a key is kept after it has become idle: above 0 only if some limit starts empty. */
  readonly idleTtlUs: number;
  /** The scale of the only cell, if that is a tick. */
  readonly ticks: Ticks | undefined;
  /** Takes a plain cost, for plans that do not start empty. An only kernel, whose cells come first, does it itself. */
  readonly plainTake: PlainTake;
  /** Whether the last verb left cells that a store has to keep. */
  mustStore = false;
  #isNew = false;
  #hasBegun = false;
  readonly #kernels: readonly Kernel[];
  /** Where each kernel's cells begin within a key's. */
  readonly #offsets: readonly number[];
  readonly #idleSince = createTimeCell();
  /** The only kernel, if it enforces. */
  readonly only: Kernel | undefined;
  readonly #several: SeveralTakes;

  /** `originUs` is a moment within 20 years of every call. */
  constructor(plan: Plan, originUs: number) {
    this.plan = plan;
    this.#kernels = plan.limits.map((limit) => compileLimit(limit, originUs));
    const only = this.#kernels.length === 1 ? this.#kernels[0]! : undefined;
    this.only = plan.enforces[0]! ? only : undefined;
    this.ticks = only?.ticks;
    this.startsEmpty = this.#kernels.some((kernel) => kernel.startsEmpty);
    this.idleTtlUs = Math.max(...this.#kernels.map((kernel) => kernel.idleTtlUs));
    const offsets = this.#kernels.map(() => 0);
    let width = 0;
    for (const index of plan.cellOrder) {
      offsets[index] = width;
      width += this.#kernels[index]!.size;
    }
    this.#offsets = offsets;
    this.#several = new SeveralTakes(this.#kernels, offsets, plan, width);
    this.plainTake = this.only ?? this.#several;
    this.width = width;
  }

  /** Each limit's kernel, and where its cells begin within a key's. */
  get parts(): readonly { readonly kernel: Kernel; readonly offset: number }[] {
    return this.#kernels.map((kernel, i) => ({ kernel, offset: this.#offsets[i]! }));
  }

  /** Writes the cells of a new key. */
  init(cells: Float64Array, base: number, now: TimeCell): void {
    for (let i = 0; i < this.#kernels.length; i += 1) this.#kernels[i]!.init(cells, base + this.#offsets[i]!, now);
  }

  /** Whether a key is idle: no unit has counted against any of its limits for the plan's idle time. */
  isIdle(cells: Float64Array, base: number, now: TimeCell): boolean {
    const then = this.idleTtlUs === 0 ? now : this.#idleSince;
    if (this.idleTtlUs > 0) then[0] = now[0]! - this.idleTtlUs;
    for (let i = 0; i < this.#kernels.length; i += 1) {
      if (!this.#kernels[i]!.isIdle(cells, base + this.#offsets[i]!, then)) return false;
    }
    return true;
  }

  /** Works like `apply` with `take`, for keys that are kept in any case. */
  tryTakeAndTell(
    cells: Float64Array,
    base: number,
    costs: readonly number[],
    now: TimeCell,
    report: Report,
    at: number,
  ): boolean {
    const { only } = this;
    if (only !== undefined) {
      const admitted = only.tryTakeAndTell(cells, base, now, costs[0]!, report, at);
      report.conforms[at] = admitted;
      return admitted;
    }
    if (this.#several.undoes) {
      const admitted = this.#several.tryTakeAndTell(cells, base, costs, now, report, at);
      if (!admitted) this.tell(cells, base, costs, now, report, at);
      return admitted;
    }
    const admitted = this.#several.conform(cells, base, costs, now);
    this.#takeAndTell(VERBS.take, admitted, cells, base, costs, now, report, at);
    return admitted;
  }

  /** Prepares a key's cells for `apply`: writes those of a new key, and of an idle one that starts empty. */
  begin(key: "known" | "new", cells: Float64Array, base: number, now: TimeCell): void {
    this.#isNew = key === "new";
    this.#hasBegun = this.#isNew || (this.startsEmpty && this.isIdle(cells, base, now));
    if (this.#hasBegun) this.init(cells, base, now);
  }

  /**
   * Applies a verb to the cells that `begin` prepared, and fills the report. `mustStore` says afterwards whether the
   * cells have to be kept. Verbs that change nothing leave the cells as they are.
   *
   * @returns whether every enforcing limit conformed.
   */
  apply(
    verb: VerbTraits,
    cells: Float64Array,
    base: number,
    costs: readonly number[],
    now: TimeCell,
    report: Report,
    at: number,
    taken?: Taken,
  ): boolean {
    // A new key has nothing of what was taken, even if it starts with less than everything.
    if (verb.refunds && taken !== undefined && this.#hasBegun) {
      this.mustStore = false;
      return true;
    }
    const admitted = this.applyToKept(verb, cells, base, costs, now, report, at, taken);
    // A bucket that starts empty begins to fill with its first touch. A refund creates no key.
    this.mustStore =
      verb.changes &&
      ((this.#hasBegun && this.startsEmpty) ||
        (!(verb.refunds && this.#isNew) && hasChanged(verb, admitted, costs, report, at)));
    return admitted;
  }

  /** Works like `apply`, for keys that are kept in any case. */
  applyToKept(
    verb: VerbTraits,
    cells: Float64Array,
    base: number,
    costs: readonly number[],
    now: TimeCell,
    report: Report,
    at: number,
    taken?: Taken,
  ): boolean {
    if (verb.renews || (verb.refunds && taken !== undefined))
      return this.#correct(verb, cells, base, costs, now, report, at, taken?.untilUs ?? []);
    if (verb.changes && !verb.refunds) {
      // What conforms to an only limit is charged as it is taken.
      const takes = verb.takes !== "always" || this.only !== undefined;
      if (takes && this.tryTakeAndTell(cells, base, costs, now, report, at)) return true;
      return verb.takes === "always" && this.#several.chargeAndTell(cells, base, costs, now, report, at);
    }
    if (verb.refunds) {
      this.#several.refund(cells, base, costs, now);
      return true;
    }
    const admitted = this.#several.conform(cells, base, costs, now);
    this.#takeAndTell(verb, admitted, cells, base, costs, now, report, at);
    return admitted;
  }

  /** Corrects what one call took. A renewal says for each limit whether it still had the places. */
  #correct(
    verb: VerbTraits,
    cells: Float64Array,
    base: number,
    costs: readonly number[],
    now: TimeCell,
    report: Report,
    at: number,
    untilUs: readonly number[],
  ): boolean {
    let all = true;
    for (let i = 0; i < this.#kernels.length; i += 1) {
      const kernel = this.#kernels[i]!;
      const cell = base + this.#offsets[i]!;
      const cost = costs[i]!;
      if (verb.refunds) {
        if (cost > 0) kernel.giveBack(cells, cell, now, cost, untilUs[i]!);
        continue;
      }
      const isKept = cost === 0 || kernel.extend?.(cells, cell, now, cost, untilUs[i]!) === true;
      report.conforms[at + i] = isKept;
      kernel.tell(cells, cell, now, 0, report, at + i);
      if (!isKept) all = false;
    }
    return all;
  }

  /** Takes as the verb says, and fills the report. */
  #takeAndTell(
    verb: VerbTraits,
    admitted: boolean,
    cells: Float64Array,
    base: number,
    costs: readonly number[],
    now: TimeCell,
    report: Report,
    at: number,
  ): void {
    for (let i = 0; i < this.#kernels.length; i += 1) {
      const kernel = this.#kernels[i]!;
      const cell = base + this.#offsets[i]!;
      const cost = costs[i]!;
      const conforms = (admitted && this.plan.enforces[i]!) || kernel.conforms(cells, cell, now, cost);
      report.conforms[at + i] = conforms;
      const takes = takesFrom(verb, cost, admitted && conforms);
      if (takes && verb.changes) kernel.take(cells, cell, now, cost);
      if (takes && !verb.changes) kernel.tellAfterTake(cells, cell, now, cost, report, at + i);
      else kernel.tell(cells, cell, now, cost, report, at + i);
    }
  }

  /**
   * Gives back the parts of costs that still count, one cost per limit, after other calls may have changed the cells.
   * The costs were taken at `taken`. Limits whose kernel cannot revoke keep theirs.
   */
  revoke(cells: Float64Array, base: number, taken: TimeCell, now: TimeCell, costs: readonly number[]): void {
    for (let i = 0; i < this.#kernels.length; i += 1) {
      this.#kernels[i]!.revoke?.(cells, base + this.#offsets[i]!, taken, now, costs[i]!);
    }
  }

  /** Fills the report's figures from the cells as they are. */
  tell(cells: Float64Array, base: number, costs: readonly number[], now: TimeCell, report: Report, at: number): void {
    for (let i = 0; i < this.#kernels.length; i += 1) {
      this.#kernels[i]!.tell(cells, base + this.#offsets[i]!, now, costs[i]!, report, at + i);
    }
  }

  /** Notes the moment from which a key will be idle if nothing else arrives. A result would be boxed. */
  noteExpiry(cells: Float64Array, base: number, now: TimeCell, expiry: TimeCell): void {
    expiry[0] = now[0]!;
    for (let i = 0; i < this.#kernels.length; i += 1) {
      this.#kernels[i]!.extendExpiry(expiry, cells, base + this.#offsets[i]!, now);
    }
    expiry[0] += this.idleTtlUs;
  }

  /** Restates the cells of a key that were written for another origin. */
  rebase(cells: Float64Array, base: number, from: CompiledPlan): void {
    for (let i = 0; i < this.#kernels.length; i += 1) {
      this.#kernels[i]!.rebase(cells, base + this.#offsets[i]!, from.#kernels[i]!);
    }
  }
}
