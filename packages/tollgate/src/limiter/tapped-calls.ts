import { type Clock, preciseMs, readInto } from "../core/clock.ts";
import { type Cost, checkCost } from "../core/cost.ts";
import { encodeKey, TUPLE_MARK_UNIT } from "../core/key.ts";
import type { SyncSpace } from "../core/store.ts";
import { ADMITTED, DENIED } from "../core/store-readings.ts";
import { createTimeCell } from "../core/time-cell.ts";
import type { Observers } from "./observers.ts";
import type { FixedSelection } from "./selection.ts";
import { PARTS_OF_LIMIT } from "./taps.ts";

/** The quickest way of `allow` while taps or meters see calls, and no observer does. */
export class TappedCalls<Input> {
  readonly #direct: FixedSelection<Input, SyncSpace>;
  readonly #clock: Clock;
  readonly #observers: Observers;
  /** The units that are to be left after a call: with fewer it is near the limit. */
  readonly #left: number;
  /** The time of the current `allow`. */
  readonly #now = createTimeCell();

  constructor(direct: FixedSelection<Input, SyncSpace>, clock: Clock, observers: Observers) {
    this.#direct = direct;
    this.#clock = clock;
    this.#observers = observers;
    this.#left = Math.ceil((direct.list().onlyLimit?.capacity ?? 0) / PARTS_OF_LIMIT);
  }

  /** Meters need a decision to know which of several limits binds. */
  serves(notes: Observers["notesQuick"]): boolean {
    return notes === "taps" || (notes === "meters" && this.#direct.list().onlyLimit !== undefined);
  }

  allow(input: Input, cost: Cost & number): boolean {
    const { stopwatch } = this.#observers;
    if (stopwatch === undefined || !stopwatch.draw()) return this.#allow(input, cost);
    const begunMs = preciseMs();
    const allowed = this.#allow(input, cost);
    stopwatch.ended(begunMs);
    return allowed;
  }

  #allow(input: Input, cost: Cost & number): boolean {
    const { space, key: keyOf } = this.#direct;
    const given = keyOf(input);
    const key = typeof given === "string" && given.charCodeAt(0) !== TUPLE_MARK_UNIT ? given : encodeKey(given);
    if (cost !== 1) checkCost(cost);
    readInto(this.#clock, this.#now);
    const observers = this.#observers;
    if (observers.stopwatch !== undefined && space.allowAndLook !== undefined) {
      const outcome = space.allowAndLook(key, cost, this.#now, this.#left);
      observers.noteQuick(key, outcome);
      return outcome !== DENIED;
    }
    const allowed = space.allow(key, cost, this.#now);
    observers.noteQuick(key, allowed ? ADMITTED : DENIED);
    return allowed;
  }

  /** A batch was decided. */
  decided(keys: readonly string[], out: Uint8Array): void {
    for (const [i, key] of keys.entries()) this.#observers.noteQuick(key, out[i] === 1 ? ADMITTED : DENIED);
  }
}
