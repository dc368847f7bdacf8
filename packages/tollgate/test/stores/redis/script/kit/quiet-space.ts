import type { SyncSpace } from "../../../../../src/core/store.ts";
import type { TimeCell } from "../../../../../src/core/time-cell.ts";
import type { Verb } from "../../../../../src/core/verbs.ts";
import type { Plan, Report } from "../../../../../src/store/index.ts";

/** A space that cleans up only on request. */
export class QuietSpace implements SyncSpace {
  readonly #space: SyncSpace;

  constructor(space: SyncSpace) {
    this.#space = space;
  }

  get plan(): Plan {
    return this.#space.plan;
  }

  get size(): number {
    return this.#space.size;
  }

  allow(key: string, cost: number, now: TimeCell): boolean {
    return this.#space.allow(key, cost, now);
  }

  apply(verb: Verb, key: string, costs: readonly number[], now: TimeCell, report: Report, at: number): boolean {
    return this.#space.apply(verb, key, costs, now, report, at);
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
