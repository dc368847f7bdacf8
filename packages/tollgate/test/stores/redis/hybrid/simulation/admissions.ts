/** What was admitted, or lost by the server, and when. */
interface Noted {
  readonly atUs: number;
  readonly units: number;
}

/** Rounding of a bucket's ticks, in units. */
const TOLERANCE = 1e-6;

/** Checks that no window of time has more than the capacity, what refills meanwhile, and a capacity per lost data. */
export class Admissions {
  readonly #capacity: number;
  readonly #perUs: number;
  readonly #ttlUs: number;
  readonly #noted: Noted[] = [];
  units = 0;

  constructor(capacity: number, perUs: number, ttlUs: number) {
    this.#capacity = capacity;
    this.#perUs = perUs;
    this.#ttlUs = ttlUs;
  }

  admit(atUs: number, units: number): void {
    this.units += units;
    this.#noted.push({ atUs, units });
  }

  /** The server loses data: it knows nothing of leases that may still be spent. */
  lose(atUs: number): void {
    this.#noted.push({ atUs, units: -this.#capacity });
  }

  /** The first excess in words; `undefined` without one. */
  get excess(): string | undefined {
    const noted = [...this.#noted].sort((one, other) => one.atUs - other.atUs);
    const lostUs: number[] = [];
    let [most, sinceUs] = [0, noted[0]?.atUs ?? 0];
    for (const { atUs, units } of noted) {
      if (units < 0) lostUs.push(atUs);
      // A window that begins after a loss has its capacity, too, while leases from before may be spent.
      const losses = lostUs.filter((us) => atUs - us < this.#ttlUs).length;
      most = Math.max(most - (atUs - sinceUs) * this.#perUs, -losses * this.#capacity) + Math.max(units, 0);
      if (units < 0) most = Math.max(most - this.#capacity, -losses * this.#capacity);
      sinceUs = atUs;
      if (most > this.#capacity + TOLERANCE) {
        return `${most.toFixed(3)} units in a window that has ${this.#capacity}, at ${atUs - noted[0]!.atUs} us`;
      }
    }
    return undefined;
  }
}
