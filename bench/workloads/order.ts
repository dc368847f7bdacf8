import { Random } from "./random.ts";

/** In which order keys come: each as likely, few of them most of the time, or round and round as they were inserted. */
export type Order = "uniform" | "zipf" | "in turn";

/** The keys of a chunk, by their indices. */
export type Draw = (indices: Uint32Array) => void;

/** The same sequence for every contender and in every round. */
export function drawIn(order: Order, keys: number): Draw {
  switch (order) {
    case "uniform":
      return uniform(keys);
    case "zipf":
      return zipf(keys);
    case "in turn":
      return inTurn(keys);
    default:
      return order satisfies never;
  }
}

const SEED = 20_260_101;

function uniform(keys: number): Draw {
  const random = new Random(SEED);
  return (indices) => {
    for (let i = 0; i < indices.length; i += 1) indices[i] = random.below(keys);
  };
}

/** Coprime to the counts of keys, so that every rank has a key of its own. */
const STRIDE = 611_953;

/**
 * The key of rank r comes in proportion to 1/r. Ranks are scattered over the keys, or the busy keys would be those that
 * were inserted first, and would lie side by side in some stores.
 */
function zipf(keys: number): Draw {
  const random = new Random(SEED);
  const shares = new Float64Array(keys);
  let sum = 0;
  for (let rank = 0; rank < keys; rank += 1) {
    sum += 1 / (rank + 1);
    shares[rank] = sum;
  }
  return (indices) => {
    for (let i = 0; i < indices.length; i += 1) {
      const rank = firstAbove(shares, (random.next() / 2 ** 32) * sum);
      indices[i] = (rank * STRIDE) % keys;
    }
  };
}

/** The index of the first of these ascending numbers that is above `value`; the last one is. */
function firstAbove(ascending: Float64Array, value: number): number {
  let low = 0;
  let high = ascending.length - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ascending[middle]! > value) high = middle;
    else low = middle + 1;
  }
  return low;
}

function inTurn(keys: number): Draw {
  let next = 0;
  return (indices) => {
    for (let i = 0; i < indices.length; i += 1) {
      indices[i] = next;
      next = next + 1 === keys ? 0 : next + 1;
    }
  };
}
