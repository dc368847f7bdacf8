import { toMicroseconds } from "../core/duration.ts";
import type { Limit } from "../core/limits/limit.ts";
import type { Plan } from "../core/plan.ts";
import type { Report } from "../core/report.ts";
import type { Verb } from "../core/store.ts";
import { createTimeCell, type TimeCell } from "../core/time-cell.ts";
import { compileLimit } from "./compile-limit.ts";
import type { Kernel, Taker } from "./kernel.ts";

/** So few cells are copied and put back sooner than all limits are asked twice. */
const MOST_CELLS_TO_UNDO = 8;

/**
 * A plan compiled: what the verbs mean for the cells of one key, which begin at `base`. Every store that runs kernels
 * uses this, on the cells themselves or on a copy that it publishes afterwards. Times are whole microseconds since the
 * epoch; costs are checked, one per limit in the plan's order, as are the entries of a report, which begin at `at`.
 */
export class CompiledPlan implements Taker {
  readonly plan: Plan;
  /** How many cells a key needs. */
  readonly width: number;
  readonly #kernels: readonly Kernel[];
  /** What takes a plain cost. The only kernel does so itself: it counts every plain number, and its cells come first. */
  readonly taker: Taker;
  /** Per kernel: where its cells begin within a key's. */
  readonly #offsets: readonly number[];
  /** How long after nothing counts any more a key is forgotten: above 0 only where some limit starts empty. */
  readonly #idleTtlUs: number;
  /** Of the call at hand, should one of several limits deny it. */
  readonly #cellsBefore: Float64Array;
  readonly #idleSince = createTimeCell();
  readonly #afterWait = createTimeCell();

  /** `originUs` is a moment within 20 years of every one at which it will be asked. */
  constructor(plan: Plan, originUs: number) {
    this.plan = plan;
    this.#kernels = plan.limits.map((limit) => compileLimit(limit, originUs));
    this.taker = this.#kernels.length === 1 ? this.#kernels[0]! : this;
    this.#idleTtlUs = Math.max(...plan.limits.map(idleTtlUs));
    const offsets = this.#kernels.map(() => 0);
    let width = 0;
    for (const index of plan.cellOrder) {
      offsets[index] = width;
      width += this.#kernels[index]!.size;
    }
    this.#offsets = offsets;
    this.#cellsBefore = new Float64Array(Math.min(width, MOST_CELLS_TO_UNDO));
    this.width = width;
  }

  /** Writes the cells of a new key. */
  init(cells: Float64Array, base: number, now: TimeCell): void {
    for (let i = 0; i < this.#kernels.length; i += 1) this.#kernels[i]!.init(cells, base + this.#offsets[i]!, now);
  }

  /** Whether a key is as good as new: nothing has counted against any of its limits for the plan's idle time. */
  isIdle(cells: Float64Array, base: number, now: TimeCell): boolean {
    const then = this.#idleTtlUs === 0 ? now : this.#idleSince;
    if (this.#idleTtlUs > 0) then[0] = now[0]! - this.#idleTtlUs;
    for (let i = 0; i < this.#kernels.length; i += 1) {
      if (!this.#kernels[i]!.isIdle(cells, base + this.#offsets[i]!, then)) return false;
    }
    return true;
  }

  /** Takes one plain cost, all or nothing, where every limit enforces. */
  admit(cells: Float64Array, base: number, now: TimeCell, cost: number): boolean {
    return this.width <= MOST_CELLS_TO_UNDO
      ? this.#admitOrUndo(cells, base, now, cost)
      : this.#admitIfAllConform(cells, base, now, cost);
  }

  #admitOrUndo(cells: Float64Array, base: number, now: TimeCell, cost: number): boolean {
    const before = this.#cellsBefore;
    for (let i = 0; i < this.width; i += 1) before[i] = cells[base + i]!;
    for (let i = 0; i < this.#kernels.length; i += 1) {
      if (this.#kernels[i]!.admit(cells, base + this.#offsets[i]!, now, this.#counted(i, cost))) continue;
      for (let cell = 0; cell < this.width; cell += 1) cells[base + cell] = before[cell]!;
      return false;
    }
    return true;
  }

  #admitIfAllConform(cells: Float64Array, base: number, now: TimeCell, cost: number): boolean {
    for (let i = 0; i < this.#kernels.length; i += 1) {
      if (!this.#kernels[i]!.conforms(cells, base + this.#offsets[i]!, now, this.#counted(i, cost))) return false;
    }
    for (let i = 0; i < this.#kernels.length; i += 1) {
      this.#kernels[i]!.take(cells, base + this.#offsets[i]!, now, this.#counted(i, cost));
    }
    return true;
  }

  /** Notes in the report which limits conform, and returns whether all enforcing ones do. */
  conform(
    cells: Float64Array,
    base: number,
    now: TimeCell,
    costs: readonly number[],
    report: Report,
    at: number,
  ): boolean {
    let admitted = true;
    for (let i = 0; i < this.#kernels.length; i += 1) {
      const conforms = this.#kernels[i]!.conforms(cells, base + this.#offsets[i]!, now, costs[i]!);
      report.conforms[at + i] = conforms;
      if (!conforms && this.plan.enforces[i]!) admitted = false;
    }
    return admitted;
  }

  /**
   * Changes the cells as the verb says of a call that `conform` admitted or not. A `peek` changes them as `take` does: give
   * it a copy.
   *
   * @returns whether anything was taken or given back.
   */
  change(
    verb: Verb,
    admitted: boolean,
    cells: Float64Array,
    base: number,
    now: TimeCell,
    costs: readonly number[],
    report: Report,
    at: number,
  ): boolean {
    if (verb === "explain" || (!admitted && (verb === "take" || verb === "peek"))) return false;
    let changed = false;
    for (let i = 0; i < this.#kernels.length; i += 1) {
      const cost = costs[i]!;
      if (cost === 0) continue;
      const kernel = this.#kernels[i]!;
      const cell = base + this.#offsets[i]!;
      const takes = verb === "charge" || this.plan.enforces[i]! || report.conforms[at + i]!;
      if (verb === "refund") kernel.refund(cells, cell, now, cost);
      else if (takes) kernel.take(cells, cell, now, cost);
      else continue;
      changed = true;
    }
    return changed;
  }

  /**
   * Gives back what is sure to count still of costs that were taken at another moment, one per limit, when others may
   * have changed the cells since: nothing where a limit cannot tell.
   */
  revoke(cells: Float64Array, base: number, taken: TimeCell, now: TimeCell, costs: readonly number[]): void {
    for (let i = 0; i < this.#kernels.length; i += 1) {
      this.#kernels[i]!.revoke?.(cells, base + this.#offsets[i]!, taken, now, costs[i]!);
    }
  }

  /** Fills the report's figures from the cells as they stand after the verb. */
  describe(
    cells: Float64Array,
    base: number,
    now: TimeCell,
    costs: readonly number[],
    report: Report,
    at: number,
  ): void {
    for (let i = 0; i < this.#kernels.length; i += 1) {
      const kernel = this.#kernels[i]!;
      const cell = base + this.#offsets[i]!;
      const waitUs = kernel.waitUs(cells, cell, now, costs[i]!);
      const used = kernel.used(cells, cell, now);
      report.used[at + i] = used;
      report.waitUs[at + i] = waitUs;
      report.usedAfterWait[at + i] = waitUs === 0 ? used : this.#usedAfter(waitUs, kernel, cells, cell, now);
      report.resetUs[at + i] = kernel.resetUs(cells, cell, now);
    }
  }

  /** Notes from when on a key will be idle if nothing else arrives. A result would be boxed. */
  noteExpiry(cells: Float64Array, base: number, now: TimeCell, expiry: TimeCell): void {
    expiry[0] = now[0]!;
    for (let i = 0; i < this.#kernels.length; i += 1) {
      this.#kernels[i]!.putOff(expiry, cells, base + this.#offsets[i]!, now);
    }
    expiry[0] += this.#idleTtlUs;
  }

  /** What a plain cost is to a limit. */
  #counted(i: number, cost: number): number {
    return this.plan.countsNumber[i]! ? cost : 0;
  }

  #usedAfter(waitUs: number, kernel: Kernel, cells: Float64Array, cell: number, now: TimeCell): number {
    if (!Number.isFinite(waitUs)) return 0;
    this.#afterWait[0] = now[0]! + waitUs;
    return kernel.used(cells, cell, this.#afterWait);
  }

  /** Restates the cells of a key that were written under another origin. */
  rebase(cells: Float64Array, base: number, from: CompiledPlan): void {
    for (let i = 0; i < this.#kernels.length; i += 1) {
      this.#kernels[i]!.rebase(cells, base + this.#offsets[i]!, from.#kernels[i]!);
    }
  }
}

/** How long a limit's cells are kept after nothing counts any more. */
export function idleTtlUs(limit: Limit): number {
  const startsEmpty = limit.algorithm === "token-bucket" && limit.initial === "empty";
  return startsEmpty ? toMicroseconds("idleTtl", limit.idleTtlMs) : 0;
}
