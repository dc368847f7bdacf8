import { RATE_COUNT, UNITS_PER_US } from "./rates.ts";

/**
 * The least capacity of a token bucket that would have denied a client nothing, for each rate of refill. For costs c at
 * times t and a refill r it is σ(r) = max over i ≤ j of c(i) + … + c(j) − r · (t(j) − t(i)): what the client sent in
 * some span beyond what flowed in meanwhile. One pass finds it, by the backlog q ← max(0, q − r · Δt) + c and
 * σ ← max(σ, q) (Cruz, "A calculus for network delay", 1991; Le Boudec and Thiran, "Network Calculus", 2001).
 */
export class Envelopes {
  /** Rows of each client: the time of its last request, q by rate, then σ by rate. Blocks bound what growing copies. */
  readonly #blocks: Float64Array[] = [];

  /** Counts a request of cost 1. Times of a client must not go back. */
  add(client: number, timeUs: number): void {
    const block = this.#blocks[client >>> BLOCK_BITS] ?? this.#addBlock(client >>> BLOCK_BITS);
    const start = (client & BLOCK_MASK) * ROW;
    // A new row has zeros: its backlog is nothing, whatever has passed.
    const elapsedUs = timeUs - block[start]!;
    block[start] = timeUs;
    const backlogs = start + 1;
    const peaks = backlogs + RATE_COUNT;
    for (let rate = 0; rate < RATE_COUNT; rate += 1) {
      const left = block[backlogs + rate]! - UNITS_PER_US[rate]! * elapsedUs;
      const backlog = left > 0 ? left + 1 : 1;
      block[backlogs + rate] = backlog;
      if (backlog > block[peaks + rate]!) block[peaks + rate] = backlog;
    }
  }

  /** The client's backlog at its last request. */
  backlog(client: number, rate: number): number {
    return this.#at(client, 1 + rate);
  }

  /** σ: the least capacity that denies this client nothing at this rate. 0 for a client without requests. */
  leastCapacity(client: number, rate: number): number {
    return this.#at(client, 1 + RATE_COUNT + rate);
  }

  #addBlock(index: number): Float64Array {
    const block = new Float64Array(ROW << BLOCK_BITS);
    this.#blocks[index] = block;
    return block;
  }

  #at(client: number, column: number): number {
    return this.#blocks[client >>> BLOCK_BITS]?.[(client & BLOCK_MASK) * ROW + column] ?? 0;
  }
}

const ROW = 1 + 2 * RATE_COUNT;
const BLOCK_BITS = 10;
const BLOCK_MASK = (1 << BLOCK_BITS) - 1;
