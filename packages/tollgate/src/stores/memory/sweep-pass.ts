/** The slots of a table that a pass sweeps. Removing a key moves the last one into its slot. */
export interface SweptSlots {
  /** The number of slots in use. */
  readonly size: number;
  /** Removes the key in a slot if it is idle and no call has reserved it. */
  removeIfIdle(slot: number): boolean;
}

/** A sweep over the slots of a table, from the last to the first, in as many steps as the caller wants. */
export class SweepPass {
  readonly #slots: SweptSlots;
  /** The next slot; below 0 between passes. */
  #cursor = -1;
  #removed = 0;

  constructor(slots: SweptSlots) {
    this.#slots = slots;
  }

  /** Sweeps up to `count` slots, and says whether that ended a pass over all. */
  step(count: number): boolean {
    // A new pass begins; or the limiter has dropped keys since this one began.
    if (this.#cursor < 0 || this.#cursor >= this.#slots.size) this.#cursor = this.#slots.size - 1;
    this.#sweepDownTo(Math.max(0, this.#cursor - count + 1));
    return this.#cursor < 0;
  }

  /** Sweeps all slots, and says how many keys that removed. */
  all(): number {
    const before = this.#removed;
    this.#cursor = this.#slots.size - 1;
    this.#sweepDownTo(0);
    return this.#removed - before;
  }

  /** Ends the pass without sweeping the rest. */
  cancel(): void {
    this.#cursor = -1;
  }

  /** How many keys sweeps have removed since the last call of this method. */
  takeRemoved(): number {
    const removed = this.#removed;
    this.#removed = 0;
    return removed;
  }

  #sweepDownTo(last: number): void {
    for (; this.#cursor >= last; this.#cursor -= 1) {
      if (this.#slots.removeIfIdle(this.#cursor)) this.#removed += 1;
    }
  }
}
