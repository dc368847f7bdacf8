import type { Plan } from "../core/plan.ts";
import { Report } from "../core/report.ts";
import { createTimeCell, type TimeCell } from "../core/time-cell.ts";
import { hasChanged, takesFrom, VERBS, type VerbTraits } from "../core/verbs.ts";
import { compileLimit } from "./compile-limit.ts";
import { type Kernel, type Part, type PlainTake, writeNew } from "./kernel.ts";
import type { Ticks } from "./ticks.ts";

/**
 * A plan compiled: what the verbs mean for the cells of one key, which begin at `base`. Every store that runs kernels
 * uses this, on the cells themselves or on a copy that it publishes afterwards. Costs are checked, one per limit in the
 * plan's order. The entries of a report are in the same order, and begin at `at`.
 */
export class CompiledPlan implements PlainTake {
  readonly plan: Plan;
  /** How many cells a key needs. */
  readonly width: number;
  /** Whether a new key starts with less than everything under some limit. */
  readonly startsEmpty: boolean;
  /** How long a key is kept after it has become idle: above 0 only if some limit starts empty. */
  readonly idleTtlUs: number;
  /** The scale of the only cell, if that is a tick. */
  readonly ticks: Ticks | undefined;
  /** The only kernel, if it enforces. Its cells come first. */
  readonly #only: Kernel | undefined;
  /** Takes a plain cost, for plans that do not start empty. An only kernel does it itself. */
  readonly plainTake: PlainTake;
  /** Whether the last verb left cells that a store has to keep. */
  mustStore = false;
  #isNew = false;
  #hasBegun = false;
  readonly #kernels: readonly Kernel[];
  /** Where each kernel's cells begin within a key's. */
  readonly #offsets: readonly number[];
  readonly #idleSince = createTimeCell();
  /** Cells for `peek`, made at the first one. */
  #copy: Float64Array | undefined = undefined;
  /** What `noteExpiry` reads. */
  #told: Report | undefined = undefined;

  /** `originUs` is a moment within 20 years of every call. */
  constructor(plan: Plan, originUs: number) {
    this.plan = plan;
    this.#kernels = plan.limits.map((limit) => compileLimit(limit, originUs));
    const only = this.#kernels.length === 1 ? this.#kernels[0]! : undefined;
    this.#only = plan.enforces[0]! ? only : undefined;
    this.plainTake = this.#only ?? this;
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
    this.width = width;
  }

  /** Each limit's kernel, and where its cells begin within a key's. */
  get parts(): readonly Part[] {
    return this.#kernels.map((kernel, i) => ({ kernel, offset: this.#offsets[i]! }));
  }

  /** Writes the cells of a new key. */
  init(cells: Float64Array, base: number, now: TimeCell): void {
    for (let i = 0; i < this.#kernels.length; i += 1) writeNew(this.#kernels[i]!, cells, base + this.#offsets[i]!, now);
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

  /** Takes a plain cost from the limits that count plain numbers, all or nothing. A shadow limit never denies. */
  tryTake(cells: Float64Array, base: number, now: TimeCell, cost: number): boolean {
    const { enforces, countsNumber } = this.plan;
    for (let i = 0; i < this.#kernels.length; i += 1) {
      const own = countsNumber[i]! ? cost : 0;
      if (enforces[i]! && !this.#kernels[i]!.conforms(cells, base + this.#offsets[i]!, now, own)) return false;
    }
    for (let i = 0; i < this.#kernels.length; i += 1) {
      const own = countsNumber[i]! ? cost : 0;
      if (enforces[i]!) this.#kernels[i]!.take(cells, base + this.#offsets[i]!, now, own);
      else this.#kernels[i]!.tryTake(cells, base + this.#offsets[i]!, now, own);
    }
    return true;
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
  ): boolean {
    const admitted = this.applyToKept(verb, cells, base, costs, now, report, at);
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
  ): boolean {
    if (verb.refunds) {
      this.#refund(cells, base, costs, now);
      return true;
    }
    const only = this.#only;
    if (only === undefined || verb !== VERBS.take) return this.#applyToEach(verb, cells, base, costs, now, report, at);
    // Most calls of `consume`: one limit, which is asked once.
    const admitted = only.tryTake(cells, base, now, costs[0]!);
    report.conforms[at] = admitted;
    only.tell(cells, base, now, costs[0]!, report, at);
    return admitted;
  }

  /** Asks every enforcing limit first. Then each takes as the verb says, and tells its figures. */
  #applyToEach(
    verb: VerbTraits,
    cells: Float64Array,
    base: number,
    costs: readonly number[],
    now: TimeCell,
    report: Report,
    at: number,
  ): boolean {
    const admitted = this.#conform(cells, base, costs, now);
    for (let i = 0; i < this.#kernels.length; i += 1) {
      const kernel = this.#kernels[i]!;
      const cell = base + this.#offsets[i]!;
      const cost = costs[i]!;
      const conforms = (admitted && this.plan.enforces[i]!) || kernel.conforms(cells, cell, now, cost);
      report.conforms[at + i] = conforms;
      const takes = takesFrom(verb, cost, admitted && conforms);
      if (takes && !verb.changes) this.#tellAfterTake(kernel, cells, cell, now, cost, report, at + i);
      else {
        if (takes) kernel.take(cells, cell, now, cost);
        kernel.tell(cells, cell, now, cost, report, at + i);
      }
    }
    return admitted;
  }

  /** Tells what a take would leave, and changes nothing. */
  #tellAfterTake(
    kernel: Kernel,
    cells: Float64Array,
    at: number,
    now: TimeCell,
    cost: number,
    report: Report,
    entry: number,
  ): void {
    this.#copy ??= new Float64Array(Math.max(...this.#kernels.map(({ size }) => size)));
    const copy = this.#copy;
    for (let i = 0; i < kernel.size; i += 1) copy[i] = cells[at + i]!;
    kernel.take(copy, 0, now, cost);
    kernel.tell(copy, 0, now, cost, report, entry);
  }

  /** Whether every enforcing limit conforms to its cost. */
  #conform(cells: Float64Array, base: number, costs: readonly number[], now: TimeCell): boolean {
    for (let i = 0; i < this.#kernels.length; i += 1) {
      if (!this.plan.enforces[i]!) continue;
      if (!this.#kernels[i]!.conforms(cells, base + this.#offsets[i]!, now, costs[i]!)) return false;
    }
    return true;
  }

  /** Gives units back as a credit. What one call took is corrected by `correctLimits`. */
  #refund(cells: Float64Array, base: number, costs: readonly number[], now: TimeCell): void {
    for (let i = 0; i < this.#kernels.length; i += 1)
      if (costs[i]! > 0) this.#kernels[i]!.refund(cells, base + this.#offsets[i]!, now, costs[i]!);
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

  /** Notes the moment from which a key will be idle if nothing else arrives. A result would be boxed. */
  noteExpiry(cells: Float64Array, base: number, now: TimeCell, expiry: TimeCell): void {
    this.#told ??= new Report();
    let resetUs = 0;
    for (let i = 0; i < this.#kernels.length; i += 1) {
      this.#kernels[i]!.tell(cells, base + this.#offsets[i]!, now, 0, this.#told, 0);
      resetUs = Math.max(resetUs, this.#told.resetUs[0]!);
    }
    expiry[0] = now[0]! + resetUs + this.idleTtlUs;
  }

  /** Restates the cells of a key that were written for another origin. */
  rebase(cells: Float64Array, base: number, from: CompiledPlan): void {
    for (let i = 0; i < this.#kernels.length; i += 1) {
      this.#kernels[i]!.rebase?.(cells, base + this.#offsets[i]!, from.#kernels[i]!);
    }
  }
}
