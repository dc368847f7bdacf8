import { type Clock, readUs } from "../../core/clock.ts";
import type { TimeCell } from "../../core/time-cell.ts";

/** Most stores have limiters of one or two clocks. Further clocks are read each time. */
const MOST_CLOCKS = 4;

/**
 * The times of clocks during one search for a slot, or one sweep step. Such a search asks about keys of many plans:
 * reading the clock for each would take longer than all the rest.
 */
export class ClockReadings {
  readonly #clocks: Clock[] = [];
  readonly #timesUs = new Float64Array(MOST_CLOCKS);
  #count = 0;

  /** Forgets the readings of the last search. */
  begin(): void {
    this.#count = 0;
  }

  /** Works like `begin`, for a call whose limiter has read this clock. */
  beginCall(clock: Clock | undefined, callTime: TimeCell): void {
    this.#count = 0;
    if (clock !== undefined) this.#keep(clock, callTime[0]!);
  }

  /**
   * The time of a clock in whole microseconds.
   *
   * @throws whatever the clock throws.
   */
  of(clock: Clock): number {
    for (let i = 0; i < this.#count; i += 1) if (this.#clocks[i] === clock) return this.#timesUs[i]!;
    const us = readUs(clock);
    if (this.#count < MOST_CLOCKS) this.#keep(clock, us);
    return us;
  }

  #keep(clock: Clock, us: number): void {
    this.#clocks[this.#count] = clock;
    this.#timesUs[this.#count] = us;
    this.#count += 1;
  }
}
