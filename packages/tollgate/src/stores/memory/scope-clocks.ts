import { type Clock, readUs } from "../../core/clock.ts";
import { createTimeCell, type TimeCell } from "../../core/time-cell.ts";

/** The clocks of a scope's limiters; most scopes have one. They stay when limiters close, because a sweep needs one. */
export class ScopeClocks {
  readonly #clocks: Clock[] = [];
  /** The earliest time of the clocks, as of the last `readTime`. */
  readonly now: TimeCell = createTimeCell();

  add(clock: Clock): void {
    if (!this.#clocks.includes(clock)) this.#clocks.push(clock);
  }

  /**
   * Reads the earliest of the clocks: no key may be dropped that still counts for one of the limiters. `known` is a
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
}
