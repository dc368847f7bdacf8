/** The most units in advance before the server has answered. */
const FIRST_UNITS = 8;

/** How much a node is asked for one key: units per microsecond and limit, averaged over the time of one lease. */
export class Demand {
  /** Units that were counted since they were averaged last. */
  readonly #counted: number[];
  readonly #perUs: number[];
  /** A burst raises the average to twice what it was at the last answer, so that a pulse takes little in advance. */
  readonly #mostUnits: number[];
  #averagedUs: number;
  #nodes = 1;

  constructor(limits: number, nowUs: number) {
    this.#counted = Array.from({ length: limits }, () => 0);
    this.#perUs = Array.from({ length: limits }, () => 0);
    this.#mostUnits = Array.from({ length: limits }, () => FIRST_UNITS);
    this.#averagedUs = nowUs;
  }

  /** How many nodes asked lately. */
  get nodes(): number {
    return this.#nodes;
  }

  /** The server has answered: the average may grow again. */
  answered(nodes: number, chunkUs: number): void {
    this.#nodes = nodes;
    for (let limit = 0; limit < this.#perUs.length; limit += 1) {
      this.#mostUnits[limit] = Math.max(FIRST_UNITS, 2 * this.#perUs[limit]! * chunkUs);
    }
  }

  /** Counts a call, whether or not it is admitted. */
  count(costs: readonly number[]): void {
    for (let limit = 0; limit < costs.length; limit += 1) this.#counted[limit]! += costs[limit]!;
  }

  /** The units of a limit that are expected in so many microseconds. */
  expected(limit: number, us: number): number {
    return this.#perUs[limit]! * us;
  }

  /** Averages over the time of one lease. Within half of it the average grows only. */
  update(nowUs: number, chunkUs: number): void {
    const passedUs = nowUs - this.#averagedUs;
    const isShort = passedUs < chunkUs / 2;
    const weight = Math.min(1, passedUs / chunkUs);
    for (let limit = 0; limit < this.#perUs.length; limit += 1) {
      const before = this.#perUs[limit]!;
      const perUs = this.#counted[limit]! / Math.max(passedUs, chunkUs / 2);
      const grown = Math.max(before, Math.min(perUs, this.#mostUnits[limit]! / chunkUs));
      this.#perUs[limit] = isShort ? grown : before * (1 - weight) + perUs * weight;
      if (!isShort) this.#counted[limit] = 0;
    }
    if (!isShort) this.#averagedUs = nowUs;
  }
}
