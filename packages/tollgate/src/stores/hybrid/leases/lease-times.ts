import { blocksKeys, type Plan } from "../../../core/plan.ts";
import { scriptAlgorithmOf } from "../../redis/script/algorithms.ts";

/** The part of the time in which a limit refills that one renewal is worth. */
const RENEWALS = 10;
/** Leases last for this part of the time in which a limit refills. */
const LIVES = 2;
/** A reset and a block reach all nodes when the leases from before have ended: after this at most. */
const LONGEST_TTL_US = 10_000_000;
/** A lease is worth at most this part of its life, at the node's demand. */
const MOST_OF_LIFE = 0.6;
/** A limit that refills faster is asked call by call: a renewal would take longer than what it grants lasts. */
const SHORTEST_REFILL_US = 100_000;
/** A lease pays if every node can have so many units. */
export const UNITS_OF_NODE = 20;
/** A fleet has at least so many nodes. */
const LEAST_NODES = 2;
/** A denied node asks again at the latest after so many times in which a limit refills. */
const LONGEST_PAUSE = 2;

/** How long leases of a plan last, and for how long one is meant to be enough. */
export interface LeaseTimes {
  /** How long a lease lasts. */
  readonly ttlUs: number;
  /** For one node: for how long a lease is enough at its demand. */
  readonly chunkUs: number;
  /** The longest pause after a denial. */
  readonly pauseUs: number;
  /** The smallest capacity of its limits. */
  readonly leastCapacity: number;
}

/** The times of a plan; `undefined` if its keys are asked call by call. */
export function leaseTimesOf(plan: Plan): LeaseTimes | undefined {
  const { limits, enforces, onChange } = plan;
  // A shadow limit admits what does not conform, a limit that blocks wants to know of every denied call, and the first
  // numbers of a key are known to the script alone.
  if (limits.length === 0 || !enforces.every(Boolean) || blocksKeys(plan) || onChange === "keep-first")
    return undefined;
  const refillsUs: number[] = [];
  for (const limit of limits) {
    const us = scriptAlgorithmOf(limit).leaseUs(limit);
    if (us === undefined) return undefined;
    refillsUs.push(us);
  }
  const refillUs = Math.min(...refillsUs);
  const leastCapacity = Math.min(...limits.map(({ capacity }) => capacity));
  if (refillUs < SHORTEST_REFILL_US || leastCapacity < LEAST_NODES * UNITS_OF_NODE) return undefined;
  const ttlUs = Math.floor(Math.min(refillUs / LIVES, LONGEST_TTL_US));
  return {
    ttlUs,
    chunkUs: Math.min(refillUs / RENEWALS, ttlUs / 4),
    pauseUs: LONGEST_PAUSE * refillUs,
    leastCapacity,
  };
}

/** For how long a lease is enough. With more nodes a lease lasts longer, so that renewals grow slower than nodes. */
export function chunkUsOf({ chunkUs, ttlUs }: LeaseTimes, nodes: number): number {
  return Math.min(chunkUs * Math.sqrt(nodes), ttlUs * MOST_OF_LIFE);
}
