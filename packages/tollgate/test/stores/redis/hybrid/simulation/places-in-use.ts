/** The places that a call holds, as its user sees it. */
export interface PlaceUse {
  readonly fromUs: number;
  /** When it is over: when the call has ended, or its places have expired. */
  untilUs: number;
  readonly places: number;
}

interface Change {
  readonly atUs: number;
  readonly places: number;
  readonly capacity: number;
}

/** Checks that at no moment more places are in use than there are, and as many again for each loss of data. */
export class PlacesInUse {
  readonly #max: number;
  readonly #uses: PlaceUse[] = [];
  readonly #lossesUs: number[] = [];

  constructor(max: number) {
    this.#max = max;
  }

  get count(): number {
    return this.#uses.length;
  }

  /** A call was admitted. */
  add(use: PlaceUse): void {
    this.#uses.push(use);
  }

  /** The server loses data: it knows nothing of places that are in use. */
  lose(atUs: number): void {
    this.#lossesUs.push(atUs);
  }

  /** The first excess in words; `undefined` without one. */
  get excess(): string | undefined {
    const changes: Change[] = this.#lossesUs.map((atUs) => ({ atUs, places: 0, capacity: this.#max }));
    for (const { fromUs, untilUs, places } of this.#uses) {
      changes.push({ atUs: fromUs, places, capacity: 0 }, { atUs: untilUs, places: -places, capacity: 0 });
    }
    // What ends comes before what begins.
    changes.sort((one, other) => (one.atUs === other.atUs ? one.places - other.places : one.atUs - other.atUs));
    let [inUse, max] = [0, this.#max];
    for (const { atUs, places, capacity } of changes) {
      inUse += places;
      max += capacity;
      if (inUse > max) return `${inUse} places in use of ${max}, at ${atUs - changes[0]!.atUs} us`;
    }
    return undefined;
  }
}
