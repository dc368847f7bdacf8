interface SimEvent {
  readonly atUs: number;
  readonly order: number;
  readonly work: () => Promise<void> | void;
}

/** What will happen, by time and then by order. */
export class Events {
  nowUs: number;
  readonly #events: SimEvent[] = [];
  #order = 0;

  constructor(nowUs: number) {
    this.nowUs = nowUs;
  }

  add(atUs: number, work: () => Promise<void> | void): void {
    const event = { atUs: Math.max(this.nowUs, Math.round(atUs)), order: this.#order, work };
    this.#order += 1;
    let [low, high] = [0, this.#events.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = this.#events[middle]!;
      // The next event is the last of the list.
      if (other.atUs > event.atUs || (other.atUs === event.atUs && other.order > event.order)) low = middle + 1;
      else high = middle;
    }
    this.#events.splice(low, 0, event);
  }

  /** Runs all events until a moment. */
  async runUntil(endUs: number): Promise<void> {
    for (let event = this.#events.pop(); event !== undefined; event = this.#events.pop()) {
      if (event.atUs > endUs) return;
      this.nowUs = event.atUs;
      const working = event.work();
      if (working !== undefined) await working;
    }
  }
}
