import type { SyncSpace } from "../../../../../src/core/store.ts";
import type { Taken, UndoRecord } from "../../../../../src/core/taken.ts";
import { createTimeCell, type TimeCell } from "../../../../../src/core/time-cell.ts";
import type { Verb } from "../../../../../src/core/verbs.ts";
import { type Plan, Report } from "../../../../../src/store/index.ts";

/** A space that cleans up only on request, and whose ticks count from one origin. */
export class QuietSpace implements SyncSpace {
  readonly #space: SyncSpace;
  readonly #origin: TimeCell;
  readonly #nothing: readonly number[];

  constructor(space: SyncSpace, originUs: number) {
    this.#space = space;
    this.#origin = createTimeCell(originUs);
    this.#nothing = space.plan.limits.map(() => 0);
  }

  /** A store lets go of what is empty, and begins anew at the moment of the next call. */
  #begin(key: string): SyncSpace {
    this.#space.apply("explain", key, this.#nothing, this.#origin, new Report(), 0);
    return this.#space;
  }

  get plan(): Plan {
    return this.#space.plan;
  }

  get size(): number {
    return this.#space.size;
  }

  allow(key: string, cost: number, now: TimeCell): boolean {
    return this.#begin(key).allow(key, cost, now);
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
    return this.#begin(key).apply(verb, key, costs, now, report, at, taken);
  }

  takeUndoably(
    key: string,
    costs: readonly number[],
    now: TimeCell,
    report: Report,
    at: number,
    record: UndoRecord,
  ): boolean {
    return this.#begin(key).takeUndoably?.(key, costs, now, report, at, record) ?? false;
  }

  undo(record: UndoRecord, now: TimeCell): void {
    this.#space.undo?.(record, now);
  }

  drop(key: string): void {
    this.#space.drop(key);
  }

  clear(): void {
    this.#space.clear();
  }

  sweep(now: TimeCell): number {
    return this.#space.sweep(now);
  }

  maintain(): void {}

  release(): void {
    this.#space.release();
  }
}
