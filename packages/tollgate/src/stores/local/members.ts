import { type Clock, readUs } from "../../core/clock.ts";
import type { Host } from "../../core/store.ts";

/** The limiters that use a plan's keys: one for most plans. */
export class Members {
  readonly #clocks: Clock[] = [];
  readonly #listeners = new Set<Host>();
  /** In an array, so that it need not be boxed. */
  readonly #toldUs = new Float64Array(1);

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

  /** The time that `askTime` was told. */
  get nowUs(): number {
    return this.#toldUs[0]!;
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
    this.#toldUs[0] = Number.POSITIVE_INFINITY;
    for (const clock of this.#clocks) this.#toldUs[0] = Math.min(this.#toldUs[0], readUs(clock));
  }

  /** Takes an earlier time for the one that was told. */
  noLaterThan(us: number): void {
    this.#toldUs[0] = Math.min(this.#toldUs[0]!, us);
  }

  tellSwept(removed: number, remaining: number): void {
    for (const host of this.#listeners) host.swept?.(removed, remaining);
  }
}
