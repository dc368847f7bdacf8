import { CompiledPlan } from "../../algorithms/compiled-plan.ts";
import { TollgateError } from "../../core/errors.ts";
import type { Plan } from "../../core/plan.ts";
import { Report } from "../../core/report.ts";
import type { SyncSpace } from "../../core/store.ts";
import type { Taken, UndoRecord } from "../../core/taken.ts";
import type { TimeCell } from "../../core/time-cell.ts";
import { VERBS, type Verb } from "../../core/verbs.ts";
import { denyForCapacity } from "../local/overflow.ts";

/**
 * A space that could not be opened yet: the runtime draws no secrets before the first call, or limits chosen per call
 * find no memory. Each call tries again. Until it succeeds, keys are denied for lack of capacity.
 */
export class LateSpace implements SyncSpace {
  readonly plan: Plan;
  readonly #open: () => SyncSpace;
  readonly #countOverflow: () => void;
  readonly #compiled: CompiledPlan;
  #space: SyncSpace | undefined;

  constructor(plan: Plan, open: () => SyncSpace, countOverflow: () => void) {
    this.plan = plan;
    this.#open = open;
    this.#countOverflow = countOverflow;
    this.#compiled = new CompiledPlan(plan, 0);
  }

  get size(): number {
    return this.#opened?.size ?? 0;
  }

  get #opened(): SyncSpace | undefined {
    try {
      this.#space ??= this.#open();
    } catch (error) {
      if (!(error instanceof TollgateError)) throw error;
    }
    return this.#space;
  }

  allow(key: string, cost: number, now: TimeCell): boolean {
    const space = this.#opened;
    if (space !== undefined) return space.allow(key, cost, now);
    const costs = this.plan.countsNumber.map((counts) => (counts ? cost : 0));
    return this.#deny("take", costs, now, new Report(), 0);
  }

  apply(
    verb: Verb,
    key: string,
    costs: readonly number[],
    now: TimeCell,
    report: Report,
    at: number,
    taken?: Taken,
  ): boolean {
    return this.#opened?.apply(verb, key, costs, now, report, at, taken) ?? this.#deny(verb, costs, now, report, at);
  }

  takeUndoably(
    key: string,
    costs: readonly number[],
    now: TimeCell,
    report: Report,
    at: number,
    record: UndoRecord,
  ): boolean {
    const taken = this.#opened?.takeUndoably?.(key, costs, now, report, at, record);
    return taken ?? this.#deny("take", costs, now, report, at);
  }

  undo(record: UndoRecord, now: TimeCell): void {
    this.#space?.undo?.(record, now);
  }

  drop(key: string): void {
    this.#space?.drop(key);
  }

  clear(): void {
    this.#space?.clear();
  }

  sweep(now: TimeCell): number {
    return this.#space?.sweep(now) ?? 0;
  }

  maintain(): void {
    this.#space?.maintain();
  }

  release(): void {
    this.#space?.release();
  }

  #deny(verb: Verb, costs: readonly number[], now: TimeCell, report: Report, at: number): boolean {
    const { changes, refunds } = VERBS[verb];
    if (changes && !refunds) this.#countOverflow();
    return denyForCapacity(this.#compiled, new Float64Array(this.#compiled.width), now, costs, report, at);
  }
}
