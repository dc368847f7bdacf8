/** How much a node is asked for one key: units per microsecond and limit, averaged over the time of one lease. */
export class Demand {
  readonly #counted: number[];
  readonly #perUs: number[];
  #sinceUs: number;

  constructor(limits: number, nowUs: number) {
    this.#counted = Array.from({ length: limits }, () => 0);
    this.#perUs = Array.from({ length: limits }, () => 0);
    this.#sinceUs = nowUs;
  }

  /** Counts a call, whether or not it is admitted. */
  count(costs: readonly number[]): void {
    for (let limit = 0; limit < costs.length; limit += 1) this.#counted[limit]! += costs[limit]!;
  }

  /** The units of a limit that are expected in so many microseconds. */
  expected(limit: number, us: number): number {
    return this.#perUs[limit]! * us;
  }

  /** Averages over the time of one lease. What came in less than half of it counts as if it had taken that long. */
  update(nowUs: number, chunkUs: number): void {
    const passedUs = nowUs - this.#sinceUs;
    const isShort = passedUs < chunkUs / 2;
    const weight = Math.min(1, passedUs / chunkUs);
    for (let limit = 0; limit < this.#perUs.length; limit += 1) {
      const before = this.#perUs[limit]!;
      const perUs = this.#counted[limit]! / Math.max(passedUs, chunkUs / 2);
      this.#perUs[limit] = isShort ? Math.max(before, perUs) : before * (1 - weight) + perUs * weight;
      if (!isShort) this.#counted[limit] = 0;
    }
    if (!isShort) this.#sinceUs = nowUs;
  }
}
