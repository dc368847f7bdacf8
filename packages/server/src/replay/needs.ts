import type { Envelopes } from "./envelopes.ts";
import { RATE_COUNT } from "./rates.ts";

/** Capacities below this have a count each, greater ones a sorted list. */
const COUNTED = 1 << 14;

/** How many clients need more than a capacity, at each rate. */
export class Needs {
  /** By rate and capacity: the clients that need more. */
  readonly #above = new Uint32Array(RATE_COUNT * COUNTED);
  /** By rate: the needs beyond the counted ones, the greatest first. */
  readonly #large: readonly number[][] = Array.from({ length: RATE_COUNT }, () => []);

  constructor(clients: number, envelopes: Envelopes) {
    for (let client = 0; client < clients; client += 1) {
      for (let rate = 0; rate < RATE_COUNT; rate += 1) {
        const need = Math.ceil(envelopes.leastCapacity(client, rate));
        if (need < COUNTED) this.#above[rate * COUNTED + Math.max(0, need - 1)]! += 1;
        else this.#large[rate]!.push(need);
      }
    }
    this.#large.forEach((needs, rate) => {
      needs.sort((one, other) => other - one);
      let sum = needs.length;
      for (let at = (rate + 1) * COUNTED - 1; at >= rate * COUNTED; at -= 1) this.#above[at] = sum += this.#above[at]!;
    });
  }

  /** Clients that a bucket would have denied something: all of these need more than its capacity. */
  denied(rate: number, capacity: number): number {
    if (capacity < COUNTED) return this.#above[rate * COUNTED + capacity]!;
    return this.#large[rate]!.filter((need) => need > capacity).length;
  }

  /** The least whole capacity that denies something to this many clients at most. */
  leastCapacity(rate: number, denied: number): number {
    const large = this.#large[rate]![denied];
    if (large !== undefined) return large;
    let [from, to] = [1, COUNTED - 1];
    while (from < to) {
      const middle = (from + to) >> 1;
      if (this.#above[rate * COUNTED + middle]! <= denied) to = middle;
      else from = middle + 1;
    }
    return from;
  }
}
