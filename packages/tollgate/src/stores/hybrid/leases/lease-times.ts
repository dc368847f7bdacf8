import type { StrictReason } from "../../../core/lease-status.ts";
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
/** A pause is this part of the time in which a limit refills, at most and on average. */
const LONGEST_PAUSE = 3 / 4;

/** How the units of a limit come back. */
export interface UnitsBack {
  /** Whether all of them come back when the limit resets. */
  readonly isAtReset: boolean;
  /** The time in which one unit comes back. */
  readonly everyUs: number;
}

/** How long leases of a plan last, and for how long one is meant to be enough. */
export interface LeaseTimes {
  /** How long a lease lasts. */
  readonly ttlUs: number;
  /** For one node: for how long a lease is enough at its demand. */
  readonly chunkUs: number;
  /** How long nodes pause after a denial on average, at most. */
  readonly pauseUs: number;
  /** The smallest capacity of its limits. */
  readonly leastCapacity: number;
  /** One entry per limit. Asked for each call they would take longer than the call. */
  readonly unitsBack: readonly UnitsBack[];
}

/** The times of a plan; `undefined` if its keys are asked call by call. */
export function leaseTimesOf(plan: Plan): LeaseTimes | undefined {
  const { limits } = plan;
  if (limits.length === 0 || limits.some((_, i) => obstacleOf(plan, i) !== undefined)) return undefined;
  const refillUs = Math.min(...limits.flatMap((limit) => scriptAlgorithmOf(limit).leaseUs(limit) ?? []));
  const leastCapacity = Math.min(...limits.map(({ capacity }) => capacity));
  const ttlUs = Math.floor(Math.min(refillUs / LIVES, LONGEST_TTL_US));
  return {
    ttlUs,
    chunkUs: Math.min(refillUs / RENEWALS, ttlUs / 4),
    pauseUs: LONGEST_PAUSE * refillUs,
    leastCapacity,
    unitsBack: limits.map((limit) => {
      const algorithm = scriptAlgorithmOf(limit);
      const everyUs = (algorithm.leaseUs(limit) ?? 0) / limit.capacity;
      return { isAtReset: algorithm.release(limit) === "all-at-reset", everyUs };
    }),
  };
}

/** Why the keys of a plan without lease times are asked call by call, one entry per limit. */
export function obstaclesOf(plan: Plan): readonly StrictReason[] {
  return plan.limits.map((_, i) => obstacleOf(plan, i) ?? "another limit");
}

function obstacleOf(plan: Plan, i: number): StrictReason | undefined {
  const limit = plan.limits[i]!;
  const refillUs = scriptAlgorithmOf(limit).leaseUs(limit);
  // A shadow limit admits what does not conform, a limit that blocks wants to know of every denied call, and the first
  // numbers of a key are known to the script alone.
  const isApart = !plan.enforces[i]! || blocksKeys(plan) || plan.onChange === "keep-first";
  if (isApart || refillUs === undefined) return "not leased";
  if (limit.capacity < LEAST_NODES * UNITS_OF_NODE) return "small capacity";
  return refillUs < SHORTEST_REFILL_US ? "fast refill" : undefined;
}

/** For how long a lease is enough. With more nodes a lease lasts longer, so that renewals grow slower than nodes. */
export function chunkUsOf({ chunkUs, ttlUs }: LeaseTimes, nodes: number): number {
  return Math.min(chunkUs * Math.sqrt(nodes), ttlUs * MOST_OF_LIFE);
}
