import { type Clock, readUs } from "../../core/clock.ts";
import type { LimiterContext } from "../../core/store.ts";
import { createTimeCell, type TimeCell } from "../../core/time-cell.ts";

/** The limiters that use a plan's keys: one for most plans. */
export class PlanUsers {
  readonly #clocks: Clock[] = [];
  readonly #listeners = new Set<LimiterContext>();
  /** The time that they told when they were asked last. */
  readonly now: TimeCell = createTimeCell();

  add(context: LimiterContext): void {
    if (!this.#clocks.includes(context.clock)) this.#clocks.push(context.clock);
    if (context.onSweep !== undefined) this.#listeners.add(context);
  }

  /** Its clock stays: somebody has to tell a sweep the time. */
  remove(context: LimiterContext): void {
    this.#listeners.delete(context);
  }

  /** Whether all of them go by one clock: then a call's own time is everybody's. */
  get haveOneClock(): boolean {
    return this.#clocks.length === 1;
  }

  /**
   * Asks the earliest of their clocks for the time: no key may go that somebody still has to wait for.
   *
   * @returns whether all told it. That one fails is for its own limiter's calls to say.
   */
  askTime(): boolean {
    try {
      this.readTime();
      return true;
    } catch {
      return false;
    }
  }

  /** The same, throwing what a clock throws. */
  readTime(): void {
    this.now[0] = Number.POSITIVE_INFINITY;
    for (const clock of this.#clocks) this.now[0] = Math.min(this.now[0], readUs(clock));
  }

  /** Takes an earlier time for the one that was told. */
  noLaterThan(us: number): void {
    this.now[0] = Math.min(this.now[0]!, us);
  }

  tellSwept(removed: number, remaining: number): void {
    for (const context of this.#listeners) context.onSweep?.(removed, remaining);
  }
}
