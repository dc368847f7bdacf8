import { compileLimit } from "../../../algorithms/registry.ts";
import type { Plan } from "../../../core/plan.ts";
import { cellCount, type LoneForm, scriptAlgorithmOf } from "./algorithms.ts";
import { type Epoch, FIRST_ORIGIN_US } from "./epoch.ts";

/** A plan as the arguments of the script describe it. */
export interface EncodedPlan {
  readonly plan: Plan;
  /** The number of limits, the idle time, and the description of each limit in the plan's order. */
  readonly texts: readonly string[];
  /**
   * What the short forms need per limit, where all limits enforce and are exact buckets that start full: the cell, the
   * capacity, the ticks of a unit, the origin and the ticks of a microsecond.
   */
  readonly buckets: readonly (readonly string[])[] | undefined;
  /** Set for a plan of one limit, at the server's time, that a form for lone calls decides. */
  readonly loneForm: LoneForm | undefined;
  /** How many cells each limit may have in a ring. */
  readonly ringCells: readonly number[];
}

/** Lua's stack has no capacity for many more numbers at once. */
const MOST_BUCKETS = 100;

/** Encodes a plan for the moments of an epoch. This is slow, so a space caches its own. */
export function encodePlan(plan: Plan, { originUs }: Epoch): EncodedPlan {
  const { limits, enforces } = plan;
  const firstCells = firstCellsOf(plan);
  const ringCells = limits.map((limit) => scriptAlgorithmOf(limit).ringCells(limit));
  const idleTtlUs = Math.max(...limits.map((limit) => compileLimit(limit, 0).idleTtlUs));
  const descriptions = limits.flatMap((limit, i) => {
    const algorithm = scriptAlgorithmOf(limit);
    const mode = enforces[i]! ? "1" : "0";
    return [algorithm.code, mode, firstCells[i]!, limit.capacity, ...algorithm.numbers(limit, originUs)];
  });
  const texts = [limits.length, idleTtlUs, ...descriptions].map(String);
  const isAlone = limits.length === 1 && enforces[0]! && originUs === FIRST_ORIGIN_US;
  const loneForm = isAlone ? scriptAlgorithmOf(limits[0]!).loneForm(limits[0]!) : undefined;
  return { plan, texts, buckets: bucketsOf(plan, firstCells, originUs), loneForm, ringCells };
}

function bucketsOf(
  { limits, enforces }: Plan,
  firstCells: readonly number[],
  originUs: number,
): string[][] | undefined {
  if (limits.length > MOST_BUCKETS) return undefined;
  const buckets: string[][] = [];
  for (const [i, limit] of limits.entries()) {
    const numbers = enforces[i]! ? scriptAlgorithmOf(limit).shortForm(limit, originUs) : undefined;
    if (numbers === undefined) return undefined;
    buckets.push([firstCells[i]!, ...numbers].map(String));
  }
  return buckets;
}

/**
 * Where each limit's cells begin, counted from 1. The order depends on the plan's identity alone. Rings come last:
 * zeros at the end are left out of a value, and so the part of a ring that was never used costs nothing.
 */
function firstCellsOf({ limits, cellOrder }: Plan): number[] {
  const hasRing = (index: number) => scriptAlgorithmOf(limits[index]!).ringCells(limits[index]!) > 0;
  const order = [...cellOrder.filter((index) => !hasRing(index)), ...cellOrder.filter(hasRing)];
  const firstCells = limits.map(() => 1);
  let next = 1;
  for (const index of order) {
    firstCells[index] = next;
    next += cellCount(limits[index]!);
  }
  return firstCells;
}
