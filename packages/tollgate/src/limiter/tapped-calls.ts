import { type Clock, readInto } from "../core/clock.ts";
import { type Cost, checkCost } from "../core/cost.ts";
import { encodeKey, TUPLE_MARK_UNIT } from "../core/key.ts";
import type { SyncSpace } from "../core/store.ts";
import { createTimeCell } from "../core/time-cell.ts";
import type { Observers } from "./observers.ts";
import type { FixedSelection } from "./selection.ts";

/** The quickest way of `allow` while taps or meters see calls, and no observer does. */
export class TappedCalls<Input> {
  readonly #direct: FixedSelection<Input, SyncSpace>;
  readonly #clock: Clock;
  readonly #observers: Observers;
  /** The time of the current `allow`. */
  readonly #now = createTimeCell();

  constructor(direct: FixedSelection<Input, SyncSpace>, clock: Clock, observers: Observers) {
    this.#direct = direct;
    this.#clock = clock;
    this.#observers = observers;
  }

  /** Meters need a decision to know which of several limits binds. */
  serves(notes: Observers["notesQuick"]): boolean {
    return notes === "taps" || (notes === "meters" && this.#direct.list().onlyLimit !== undefined);
  }

  allow(input: Input, cost: Cost & number): boolean {
    const given = this.#direct.key(input);
    const key = typeof given === "string" && given.charCodeAt(0) !== TUPLE_MARK_UNIT ? given : encodeKey(given);
    if (cost !== 1) checkCost(cost);
    readInto(this.#clock, this.#now);
    const allowed = this.#direct.space.allow(key, cost, this.#now);
    this.#observers.noteQuick(key, allowed);
    return allowed;
  }

  /** A batch was decided. */
  decided(keys: readonly string[], out: Uint8Array): void {
    for (const [i, key] of keys.entries()) this.#observers.noteQuick(key, out[i] === 1);
  }
}
