import type { Clock } from "../../core/clock.ts";
import type { LimiterContext } from "../../core/store.ts";
import { createTimeCell, type TimeCell } from "../../core/time-cell.ts";
import type { ClockReadings } from "./clock-readings.ts";

/** The limiters that use a plan's keys; most plans have one. */
export class PlanUsers {
  readonly #clocks: Clock[] = [];
  readonly #listeners = new Set<LimiterContext>();
  /** The earliest time of their clocks, as of the last `readTime`. */
  readonly now: TimeCell = createTimeCell();

  /** The limiters of other keys, some of which moved here. */
  include(users: PlanUsers): void {
    for (const clock of users.#clocks) if (!this.#clocks.includes(clock)) this.#clocks.push(clock);
    for (const listener of users.#listeners) this.#listeners.add(listener);
  }

  add(context: LimiterContext): void {
    if (!this.#clocks.includes(context.clock)) this.#clocks.push(context.clock);
    if (context.onSweep !== undefined) this.#listeners.add(context);
  }

  /** Ends its notifications. Its clock stays, because a sweep needs a clock. */
  remove(context: LimiterContext): void {
    this.#listeners.delete(context);
  }

  /** The clock of all limiters, if they have only one. Then a call's own time is right for all of them. */
  get onlyClock(): Clock | undefined {
    return this.#clocks.length === 1 ? this.#clocks[0] : undefined;
  }

  /**
   * Reads the earliest of their clocks: no key may be dropped that still counts for one of the limiters.
   *
   * @returns whether all clocks could be read. The calls of a clock's own limiter report its failure.
   */
  askTime(readings: ClockReadings): boolean {
    try {
      this.readTime(readings);
      return true;
    } catch {
      return false;
    }
  }

  /** Works like `askTime`, but throws what a clock throws. */
  readTime(readings: ClockReadings): void {
    this.now[0] = Number.POSITIVE_INFINITY;
    for (const clock of this.#clocks) this.now[0] = Math.min(this.now[0], readings.of(clock));
  }

  /** Lowers the time to that of a call. */
  noLaterThan(now: TimeCell): void {
    this.now[0] = Math.min(this.now[0]!, now[0]!);
  }

  notifySwept(removed: number, remaining: number): void {
    for (const context of this.#listeners) context.onSweep?.(removed, remaining);
  }
}
