import { compileLimit } from "../../../algorithms/registry.ts";
import { Ticks } from "../../../algorithms/ticks.ts";
import { toMicroseconds } from "../../../core/duration.ts";
import type { FixedWindowLimit, Limit, SlidingWindowLimit, TokenBucketLimit } from "../../../core/limits/limit.ts";
import { tickScale } from "../../../core/limits/tick-scale.ts";
import type { Plan } from "../../../core/plan.ts";
import type { Era } from "./era.ts";

/** A plan as the script is told of it. */
export interface EncodedPlan {
  readonly plan: Plan;
  /** Arguments of the script: how many limits, the idle time, and what is to be known of each limit in the plan's order. */
  readonly texts: readonly string[];
  /**
   * Per limit what the shorter ways need to know, where all are exact token buckets that enforce and start full: the cell, the
   * capacity, the ticks of a unit, the origin and the ticks of a microsecond.
   */
  readonly buckets: readonly (readonly string[])[] | undefined;
  /** Per limit how many cells it may have in a ring. */
  readonly ringCells: readonly number[];
}

/** Cells of a sliding window that are not in its ring, and those of a place in the ring. */
const BEFORE_RING = 2;
const PER_PLACE = 2;

/** Lua has no room for many more numbers at once. */
const MOST_BUCKETS = 100;

/** The plan for moments of an era. Making it takes a while: a space keeps its own. */
export function encodePlan(plan: Plan, { originUs }: Era): EncodedPlan {
  const firstCells = firstCellsOf(plan);
  const idleTtlUs = Math.max(...plan.limits.map(idleTtlUsOf));
  const limits = plan.limits.flatMap((limit, i) => [
    kindOf(limit),
    flag(plan.enforces[i] === true),
    firstCells[i],
    limit.capacity,
    ...numbersOf(limit, originUs),
  ]);
  const texts = [plan.limits.length, idleTtlUs, ...limits].map(String);
  const ringCells = plan.limits.map((limit) =>
    limit.algorithm === "sliding-window" ? compileLimit(limit, 0).size : 0,
  );
  return { plan, texts, buckets: bucketsOf(plan, firstCells, originUs), ringCells };
}

function bucketsOf(
  { limits, enforces }: Plan,
  firstCells: readonly number[],
  originUs: number,
): string[][] | undefined {
  if (limits.length > MOST_BUCKETS) return undefined;
  const buckets: string[][] = [];
  for (const [i, limit] of limits.entries()) {
    if (limit.algorithm !== "token-bucket" || limit.initial === "empty" || !enforces[i]!) return undefined;
    const ticks = ticksOf(limit, originUs);
    if (!ticks.exact) return undefined;
    buckets.push([firstCells[i], limit.capacity, ticks.perUnit, ticks.originUs, ticks.perUs].map(String));
  }
  return buckets;
}

function ticksOf({ capacity, refill, perMs }: TokenBucketLimit, originUs: number): Ticks {
  return new Ticks(capacity, refill, toMicroseconds("per", perMs), originUs);
}

/**
 * Where each limit's cells begin, counted from 1. The order hangs on the plan's identity alone. Sliding windows come last: zeros at
 * the end are left out of a value, and so the part of a ring that was never used.
 */
function firstCellsOf({ limits, cellOrder }: Plan): number[] {
  const isRing = (index: number) => limits[index]!.algorithm === "sliding-window";
  const order = [...cellOrder.filter((index) => !isRing(index)), ...cellOrder.filter(isRing)];
  const firstCells = limits.map(() => 1);
  let next = 1;
  for (const index of order) {
    firstCells[index] = next;
    next += compileLimit(limits[index]!, 0).size;
  }
  return firstCells;
}

function kindOf({ algorithm }: Limit): string {
  switch (algorithm) {
    case "token-bucket":
      return "b";
    case "sliding-window":
      return "s";
    case "fixed-window":
      return "f";
    default:
      return algorithm satisfies never;
  }
}

function numbersOf(limit: Limit, originUs: number): (number | string)[] {
  switch (limit.algorithm) {
    case "token-bucket":
      return tokenBucketNumbers(limit, originUs);
    case "sliding-window":
      return slidingWindowNumbers(limit);
    case "fixed-window":
      return fixedWindowNumbers(limit);
    default:
      return limit satisfies never;
  }
}

function tokenBucketNumbers(limit: TokenBucketLimit, originUs: number): (number | string)[] {
  const ticks = ticksOf(limit, originUs);
  const { units, periodUs, ticksPerUnit } = tickScale(limit.capacity, limit.refill, toMicroseconds("per", limit.perMs));
  return [
    ticks.perUnit,
    ticks.originUs,
    ticks.mostDebt,
    flag(limit.initial === "full"),
    flag(ticks.exact),
    ticks.perUs,
    ...(ticks.exact ? [] : [periodUs, units * ticksPerUnit]),
  ];
}

function slidingWindowNumbers(limit: SlidingWindowLimit): number[] {
  const { size } = compileLimit(limit, 0);
  // Time comes in whole microseconds: units of the same one leave together anyway.
  const resolutionUs = limit.resolutionMs === 0 ? 1 : toMicroseconds("resolution", limit.resolutionMs);
  return [toMicroseconds("window", limit.windowMs), resolutionUs, (size - BEFORE_RING) / PER_PLACE];
}

function fixedWindowNumbers(limit: FixedWindowLimit): (number | string)[] {
  return [toMicroseconds("window", limit.windowMs), flag(limit.anchor === "clock")];
}

function idleTtlUsOf(limit: Limit): number {
  const startsEmpty = limit.algorithm === "token-bucket" && limit.initial === "empty";
  return startsEmpty ? toMicroseconds("idleTtl", limit.idleTtlMs) : 0;
}

function flag(value: boolean): string {
  return value ? "1" : "0";
}
