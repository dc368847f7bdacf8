import { RATE_COUNT, UNITS_PER_US } from "./rates.ts";

/**
 * The least capacity of a token bucket that would have denied a client nothing, for each rate of refill. For costs c at
 * times t and a refill r it is σ(r) = max over i ≤ j of c(i) + … + c(j) − r · (t(j) − t(i)): what the client sent in
 * some span beyond what flowed in meanwhile. One pass finds it, by the backlog q ← max(0, q − r · Δt) + c and
 * σ ← max(σ, q) (Cruz, "A calculus for network delay", 1991; Le Boudec and Thiran, "Network Calculus", 2001).
 */
export class Envelopes {
  /** Rows of each client, in blocks, which bound what growing copies. */
  readonly #blocks: Float64Array[] = [];

  /** Counts a request of cost 1. Times of a client must not go back. */
  add(client: number, timeUs: number): void {
    const block = this.#blocks[client >>> BLOCK_BITS] ?? this.#addBlock(client >>> BLOCK_BITS);
    const start = (client & BLOCK_MASK) * ROW;
    const lastUs = block[start]!;
    const busy = block[start + BUSY]!;
    block[start] = timeUs;
    if (lastUs === 0) return;
    let rate = 0;
    // A backlog that has gone at one rate has gone at all faster ones: most requests end the loop early.
    for (let at = start + HEAD; rate < RATE_COUNT; rate += 1, at += 2) {
      const left = (rate < busy ? block[at]! : 1) - UNITS_PER_US[rate]! * (timeUs - lastUs);
      if (left <= 0) break;
      block[at] = left + 1;
      if (left + 1 > block[at + 1]!) block[at + 1] = left + 1;
    }
    block[start + BUSY] = rate;
  }

  /** The client's backlog at its last request. */
  backlog(client: number, rate: number): number {
    return rate < this.#at(client, BUSY) ? this.#at(client, HEAD + 2 * rate) : 1;
  }

  /** σ: the least capacity that denies this client nothing at this rate. 0 for a client without requests. */
  leastCapacity(client: number, rate: number): number {
    return this.#at(client, 0) === 0 ? 0 : Math.max(1, this.#at(client, HEAD + 2 * rate + 1));
  }

  /** The least whole capacities of the clients at this rate, by their numbers. */
  needs(rate: number, clients: number): Uint32Array {
    return new Uint32Array(clients).map((_, client) => Math.ceil(this.leastCapacity(client, rate)));
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

/**
 * The columns of a row: the time of the last request, 0 before the first. How many of the slowest rates had a backlog
 * then; at all others it is 1. Then q and σ of each rate; σ is 1 where it is 0.
 */
const BUSY = 1;
const HEAD = 2;
const ROW = HEAD + 2 * RATE_COUNT;
const BLOCK_BITS = 10;
const BLOCK_MASK = (1 << BLOCK_BITS) - 1;
