import { RATE_COUNT, UNITS_PER_US } from "./rates.ts";

const ROW = 1 + RATE_COUNT;
const BLOCK_BITS = 10;
const BLOCK_MASK = (1 << BLOCK_BITS) - 1;

/** The rows of some clients. Blocks bound what growing copies. */
const newBlock = () => ({
  /** The time of the last request, 0 before the first; then q of each rate. */
  backlogs: new Float64Array(ROW << BLOCK_BITS),
  /**
   * How many of the slowest rates had a backlog at the last request: at all others q is 1. Then σ of each rate, rounded
   * up, because capacities are whole numbers; σ is 1 where it is 0.
   */
  capacities: new Uint32Array(ROW << BLOCK_BITS),
});

/**
 * The least capacity of a token bucket that would have denied a client nothing, for each rate of refill. For costs c at
 * times t and a refill r it is σ(r) = max over i ≤ j of c(i) + … + c(j) − r · (t(j) − t(i)): what the client sent in
 * some span beyond what flowed in meanwhile. One pass finds it, by the backlog q ← max(0, q − r · Δt) + c and
 * σ ← max(σ, q) (Cruz, "A calculus for network delay", 1991; Le Boudec and Thiran, "Network Calculus", 2001).
 */
export class Envelopes {
  readonly #blocks: ReturnType<typeof newBlock>[] = [];

  /** Counts a request of cost 1. Times of a client must not go back. */
  add(client: number, timeUs: number): void {
    this.#blocks[client >>> BLOCK_BITS] ??= newBlock();
    const { backlogs, capacities } = this.#blocks[client >>> BLOCK_BITS]!;
    const start = (client & BLOCK_MASK) * ROW;
    const lastUs = backlogs[start]!;
    const busy = capacities[start]!;
    backlogs[start] = timeUs;
    if (lastUs === 0) return;
    let rate = 0;
    // A backlog that has gone at one rate has gone at all faster ones: most requests end the loop early.
    for (let at = start + 1; rate < RATE_COUNT; rate += 1, at += 1) {
      const left = (rate < busy ? backlogs[at]! : 1) - UNITS_PER_US[rate]! * (timeUs - lastUs);
      if (left <= 0) break;
      backlogs[at] = left + 1;
      if (left + 1 > capacities[at]!) capacities[at] = Math.ceil(left + 1);
    }
    capacities[start] = rate;
  }

  /** When the client's last request was; 0 without one. */
  lastUs(client: number): number {
    return this.#blocks[client >>> BLOCK_BITS]?.backlogs[(client & BLOCK_MASK) * ROW] ?? 0;
  }

  /** σ rounded up: the least whole capacities that deny the clients nothing at this rate. 0 without requests. */
  needs(rate: number, clients: number): Uint32Array {
    return new Uint32Array(clients).map((_, client) => {
      const capacity = this.#blocks[client >>> BLOCK_BITS]?.capacities[(client & BLOCK_MASK) * ROW + 1 + rate];
      return this.lastUs(client) === 0 ? 0 : Math.max(1, capacity ?? 0);
    });
  }

  /** Replaces what the clients need at a rate: requests from here on count anew beside it. */
  setNeeds(rate: number, needs: Uint32Array): void {
    needs.forEach((need, client) => {
      const block = this.#blocks[client >>> BLOCK_BITS];
      if (block !== undefined) block.capacities[(client & BLOCK_MASK) * ROW + 1 + rate] = need;
    });
  }
}
