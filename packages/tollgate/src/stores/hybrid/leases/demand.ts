/** The most units in advance before the server has answered. */
const FIRST_UNITS = 8;
/** Threads add what they have counted to the common sums after so many calls. */
const CALLS_PER_FLUSH = 16;

// The numbers of a key's demand. They may lie in memory that threads share: then all count and read the same demand.
// Threads overwrite each other's sums now and then. Leases are a little smaller then.

/** When units were averaged last; 0 in memory that no thread has used for the key. */
const SINCE = 0;
/** How many nodes asked lately. */
const NODES = 1;
const HEAD = 2;

/** How many numbers a demand has. */
function numbersOf(limits: number): number {
  return HEAD + 4 * limits;
}

/** How much a node is asked for one key: units per microsecond and limit, averaged over the time of one lease. */
export class Demand {
  readonly #limits: number;
  /** The numbers of this thread alone. */
  readonly #private: Float64Array;
  #numbers: Float64Array;
  #counted: Float64Array;
  #perUs: Float64Array;
  /** A burst raises the average to twice what it was at the last answer, so that a pulse takes little in advance. */
  #mostUnits: Float64Array;
  #low: Float64Array;
  /** What this thread has counted since it has added it to the sums. */
  readonly #own: number[];
  #calls = 0;

  constructor(limits: number, nowUs: number) {
    this.#limits = limits;
    this.#own = Array.from({ length: limits }, () => 0);
    const numbers = new Float64Array(numbersOf(limits));
    [this.#counted, this.#perUs, this.#mostUnits, this.#low] = this.#columns(numbers);
    this.#numbers = numbers;
    this.#private = numbers;
    numbers[SINCE] = nowUs;
    numbers[NODES] = 1;
    this.#mostUnits.fill(FIRST_UNITS);
  }

  /** Counts in these numbers from now on, which other threads may have filled; by default those of this thread. */
  use(numbers: Float64Array = this.#private): void {
    if (numbers.byteOffset === this.#numbers.byteOffset && numbers.buffer === this.#numbers.buffer) return;
    if (numbers[SINCE] === 0) for (let i = 0; i < this.#numbers.length; i += 1) numbers[i] = this.#numbers[i]!;
    [this.#counted, this.#perUs, this.#mostUnits, this.#low] = this.#columns(numbers);
    this.#numbers = numbers;
  }

  get nodes(): number {
    return this.#numbers[NODES]!;
  }

  /** Units of each limit with which a lease is renewed. */
  get low(): Float64Array {
    return this.#low;
  }

  /** The server has answered: the average may grow again. */
  answered(nodes: number, chunkUs: number): void {
    this.#numbers[NODES] = nodes;
    for (let limit = 0; limit < this.#limits; limit += 1) {
      this.#mostUnits[limit] = Math.max(FIRST_UNITS, 2 * this.#perUs[limit]! * chunkUs);
    }
  }

  /** Counts a call, whether or not it is admitted. */
  count(costs: readonly number[]): void {
    for (let limit = 0; limit < costs.length; limit += 1) this.#own[limit]! += costs[limit]!;
    this.#calls += 1;
    if (this.#calls === CALLS_PER_FLUSH) this.#flush();
  }

  /** The units of a limit that are expected in so many microseconds. */
  expected(limit: number, us: number): number {
    return this.#perUs[limit]! * us;
  }

  /** Averages over the time of one lease. Within half of it the average grows only. */
  update(nowUs: number, chunkUs: number): void {
    this.#flush();
    const passedUs = nowUs - this.#numbers[SINCE]!;
    const isShort = passedUs < chunkUs / 2;
    const weight = Math.min(1, passedUs / chunkUs);
    for (let limit = 0; limit < this.#limits; limit += 1) {
      const before = this.#perUs[limit]!;
      const perUs = this.#counted[limit]! / Math.max(passedUs, chunkUs / 2);
      const grown = Math.max(before, Math.min(perUs, this.#mostUnits[limit]! / chunkUs));
      this.#perUs[limit] = isShort ? grown : before * (1 - weight) + perUs * weight;
      if (!isShort) this.#counted[limit] = 0;
    }
    if (!isShort) this.#numbers[SINCE] = nowUs;
  }

  #flush(): void {
    this.#calls = 0;
    for (let limit = 0; limit < this.#limits; limit += 1) {
      this.#counted[limit]! += this.#own[limit]!;
      this.#own[limit] = 0;
    }
  }

  #columns(numbers: Float64Array): [Float64Array, Float64Array, Float64Array, Float64Array] {
    const column = (i: number) => numbers.subarray(HEAD + i * this.#limits, HEAD + (i + 1) * this.#limits);
    return [column(0), column(1), column(2), column(3)];
  }
}
