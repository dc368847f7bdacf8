import { type Clock, preciseMs, readInto } from "../core/clock.ts";
import { type Cost, checkCost } from "../core/cost.ts";
import { encodeKey, TUPLE_MARK_UNIT } from "../core/key.ts";
import type { SyncSpace } from "../core/store.ts";
import { ADMITTED, DENIED, type LookedOutcome } from "../core/store-readings.ts";
import { createTimeCell } from "../core/time-cell.ts";
import type { Observers } from "./observers.ts";
import type { FixedSelection } from "./selection.ts";
import type { Stopwatch } from "./stopwatch.ts";
import { type Meter, PARTS_OF_LIMIT, type Taps } from "./taps.ts";

/** A space that can look what a call has left. */
type LookingSpace = Required<Pick<SyncSpace, "allowAndLook">>;

/** The quickest way of `allow` while taps or meters see calls, and no observer does. */
export class TappedCalls<Input> {
  readonly #direct: FixedSelection<Input, SyncSpace>;
  readonly #clock: Clock;
  readonly #observers: Observers;
  /** The units that are to be left after a call: with fewer it is near the limit. */
  readonly #left: number;
  /** The time of the current `allow`. */
  readonly #now = createTimeCell();
  #stopwatch: Stopwatch | undefined;
  /** The only meter, if there is one. */
  #meter: Meter | undefined;
  #taps: Taps | undefined;

  constructor(direct: FixedSelection<Input, SyncSpace>, clock: Clock, observers: Observers) {
    this.#direct = direct;
    this.#clock = clock;
    this.#observers = observers;
    this.#left = Math.ceil((direct.list().onlyLimit?.capacity ?? 0) / PARTS_OF_LIMIT);
  }

  /**
   * Prepares for the observers that there are now. Says whether calls may come: for meters, several limits need a
   * decision, and so does a space that cannot look.
   */
  serves(): boolean {
    const { notesQuick, stopwatch, meters, taps } = this.#observers;
    const canLook = this.#direct.space.allowAndLook !== undefined;
    this.#stopwatch = stopwatch;
    this.#meter = meters.length === 1 ? meters[0] : undefined;
    this.#taps = taps;
    return notesQuick === "taps" || (notesQuick === "meters" && canLook && this.#direct.list().onlyLimit !== undefined);
  }

  allow(input: Input, cost: Cost & number): boolean {
    const stopwatch = this.#stopwatch;
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
    const meter = this.#meter;
    const outcome =
      meter === undefined
        ? this.#ask(key, cost)
        : (space as LookingSpace).allowAndLook(key, cost, this.#now, this.#left);
    if (meter === undefined) this.#observers.noteMeters(key, outcome);
    else meter.noteQuick(key, outcome);
    const taps = this.#taps;
    if (taps?.sampler.draw() === true) taps.see([key], outcome !== DENIED);
    return outcome !== DENIED;
  }

  /** For several meters, and for taps alone. */
  #ask(key: string, cost: number): LookedOutcome {
    const { space } = this.#direct;
    if (this.#stopwatch !== undefined && space.allowAndLook !== undefined)
      return space.allowAndLook(key, cost, this.#now, this.#left);
    return space.allow(key, cost, this.#now) ? ADMITTED : DENIED;
  }

  /** A batch was decided. What is left of each key is not looked at. */
  decided(keys: readonly string[], out: Uint8Array): void {
    for (const [i, key] of keys.entries()) {
      this.#observers.noteMeters(key, out[i] === 1 ? ADMITTED : DENIED);
      if (this.#taps?.sampler.draw() === true) this.#taps.see([key], out[i] === 1);
    }
  }
}
