import { type Clock, readUs } from "../../core/clock.ts";
import type { LimiterContext } from "../../core/store.ts";
import { createTimeCell, type TimeCell } from "../../core/time-cell.ts";

/** The limiters of a scope; most scopes have one. */
export class ScopeUsers {
  readonly #clocks: Clock[] = [];
  readonly #listeners = new Set<LimiterContext>();
  /** The earliest time of their clocks, as of the last `readTime`. */
  readonly now: TimeCell = createTimeCell();

  add(context: LimiterContext): void {
    if (!this.#clocks.includes(context.clock)) this.#clocks.push(context.clock);
    if (context.onSweep !== undefined) this.#listeners.add(context);
  }

  /** Ends its notifications. Its clock stays, because a sweep needs a clock. */
  remove(context: LimiterContext): void {
    this.#listeners.delete(context);
  }

  /**
   * Reads the earliest of their clocks: no key may be dropped that still counts for one of the limiters. `known` is a
   * clock whose time the caller has.
   *
   * @returns whether all clocks could be read. The calls of a clock's own limiter report its failure.
   */
  askTime(known?: Clock): boolean {
    try {
      this.readTime(known);
      return true;
    } catch {
      return false;
    }
  }

  /** Works like `askTime`, but throws what a clock throws. */
  readTime(known?: Clock): void {
    let earliestUs = Number.POSITIVE_INFINITY;
    for (const clock of this.#clocks) if (clock !== known) earliestUs = Math.min(earliestUs, readUs(clock));
    this.now[0] = earliestUs;
  }

  /** Lowers the time to that of a call. */
  noLaterThan(now: TimeCell): void {
    this.now[0] = Math.min(this.now[0]!, now[0]!);
  }

  notifySwept(removed: number, remaining: number): void {
    for (const context of this.#listeners) context.onSweep?.(removed, remaining);
  }
}
