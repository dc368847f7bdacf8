import type { SyncSpace, Verb } from "../../../../../src/core/store.ts";
import type { TimeCell } from "../../../../../src/core/time-cell.ts";
import type { Plan, Report } from "../../../../../src/index.ts";

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

  allow(key: string, now: TimeCell, cost: number): boolean {
    return this.#space.allow(key, now, cost);
  }

  apply(verb: Verb, key: string, nowUs: number, costs: readonly number[], report: Report, at: number): boolean {
    return this.#space.apply(verb, key, nowUs, costs, report, at);
  }

  drop(key: string): void {
    this.#space.drop(key);
  }

  clear(): void {
    this.#space.clear();
  }

  sweep(nowUs: number): number {
    return this.#space.sweep(nowUs);
  }

  maintain(): void {}

  release(): void {
    this.#space.release();
  }
}
