import { LEASES_OF_HOLDER } from "../../redis/script/lease.ts";

/** Nodes choose random numbers below this: a thousand nodes choose the same one with a probability of 1 in 10^4. */
const HOLDERS = 2 ** 32;

/**
 * Numbers for the leases of one node. They repeat after a million, when those from before have ended. `random` returns
 * a number from 0 up to 1.
 */
export function leaseNumbers(random: () => number): () => number {
  const first = Math.floor(random() * HOLDERS) * LEASES_OF_HOLDER;
  let next = 0;
  return () => {
    next = (next + 1) % LEASES_OF_HOLDER;
    return first + next;
  };
}
