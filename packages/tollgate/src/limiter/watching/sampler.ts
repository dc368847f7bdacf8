/** Chooses calls at random, 1 in `interval` on average. A caller cannot tell which. */
export class Sampler {
  readonly interval: number;
  /** The logarithm of the chance that a call is not chosen. */
  readonly #missLog: number;
  /** The next chosen call is this many calls away. */
  #left: number;

  constructor(interval: number) {
    this.interval = interval;
    this.#missLog = Math.log1p(-1 / interval);
    this.#left = this.#gap();
  }

  /** Counts a call. Says whether it is chosen. */
  draw(): boolean {
    this.#left -= 1;
    if (this.#left > 0) return false;
    this.#left = this.#gap();
    return true;
  }

  /** Counts so many calls unless one is chosen. Says whether they were counted: if not, `draw` has to come for each. */
  skip(calls: number): boolean {
    if (this.#left <= calls) return false;
    this.#left -= calls;
    return true;
  }

  /** The number of independent draws until one hits: geometrically distributed, and an integer to the engine. */
  #gap(): number {
    // `1 - random` is never 0. With an interval of 1 the logarithm is negative infinity.
    return (1 + Math.log(1 - Math.random()) / this.#missLog) | 0;
  }
}
