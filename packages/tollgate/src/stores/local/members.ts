import { type Clock, readUs } from "../../core/clock.ts";
import { createInstant, type Instant } from "../../core/instant.ts";
import type { Host } from "../../core/store.ts";

/** The limiters that use a plan's keys: one for most plans. */
export class Members {
  readonly #clocks: Clock[] = [];
  readonly #listeners = new Set<Host>();
  /** The time that they told when they were asked last. */
  readonly now: Instant = createInstant();

  add(host: Host): void {
    if (!this.#clocks.includes(host.clock)) this.#clocks.push(host.clock);
    if (host.swept !== undefined) this.#listeners.add(host);
  }

  /** Its clock stays: somebody has to tell a sweep the time. */
  remove(host: Host): void {
    this.#listeners.delete(host);
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
    for (const host of this.#listeners) host.swept?.(removed, remaining);
  }
}
