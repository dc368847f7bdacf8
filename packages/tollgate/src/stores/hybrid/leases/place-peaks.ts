/** Calls that come independently of each other vary by the square root of their number: so many times it is kept. */
const RESERVE = 2;
const LEAST_RESERVE = 8;

/** How many places the calls of a node held at most, lately: in the time since a moment, and in as much before it. */
export class PlacePeaks {
  readonly #windowUs: number;
  #sinceUs: number;
  #peaks: number[];
  #before: readonly number[];

  constructor(limits: number, windowUs: number, nowUs: number) {
    this.#windowUs = windowUs;
    this.#sinceUs = nowUs;
    this.#peaks = Array.from({ length: limits }, () => 0);
    this.#before = this.#peaks;
  }

  note(limit: number, held: number): void {
    if (held > this.#peaks[limit]!) this.#peaks[limit] = held;
  }

  /** Begins to count anew, if the time is over. `held` are the places that calls hold now. */
  update(us: number, held: readonly number[]): void {
    if (us - this.#sinceUs < this.#windowUs) return;
    this.#before = us - this.#sinceUs < 2 * this.#windowUs ? this.#peaks : held;
    this.#peaks = [...held];
    this.#sinceUs = us;
  }

  most(limit: number): number {
    return Math.max(this.#peaks[limit]!, this.#before[limit]!);
  }

  /** How many free places a node has in reserve. */
  reserve(limit: number): number {
    return Math.max(LEAST_RESERVE, Math.ceil(RESERVE * Math.sqrt(this.most(limit))));
  }
}
