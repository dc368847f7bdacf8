import { compileLimit } from "../../../algorithms/compile-limit.ts";
import type { Limit } from "../../../core/limits/limit.ts";
import type { Plan } from "../../../core/plan.ts";
import { cellCount, scriptAlgorithmOf } from "./algorithms.ts";
import type { Epoch } from "./epoch.ts";
import { layoutId, limitId, nameId } from "./layout.ts";
import { OtherLayouts } from "./other-layouts.ts";

/** A plan as the arguments of the script describe it. */
export interface EncodedPlan {
  readonly plan: Plan;
  readonly epoch: Epoch;
  /** The identity of its layout, with which values begin. */
  readonly head: string;
  /** When the registry notes the layout again; 0 if it never did. */
  noteAtMs: number;
  /** What values may have in place of this layout. */
  readonly others: OtherLayouts;
  /**
   * The number of limits, the idle time, the head, the description of each limit in the plan's order, and whether the
   * first numbers are kept. The identity of each limit and of its name follow, its cells and idle time.
   */
  readonly texts: readonly string[];
  /**
   * What the short forms need per limit, where all limits enforce and are exact buckets that start full: the cell, the
   * capacity, the ticks of a unit, the origin and the ticks of a microsecond.
   */
  readonly buckets: readonly (readonly string[])[] | undefined;
  /** How many cells each limit may have in a ring. */
  readonly ringCells: readonly number[];
}

/** Lua's stack has no capacity for many more numbers at once. */
const MOST_BUCKETS = 100;
/** The head takes as much as a cell. */
const HEAD_CELLS = 1;

/** Encodes a plan for the moments of an epoch. This is slow, so a space caches its own. */
export function encodePlan(plan: Plan, epoch: Epoch): EncodedPlan {
  const { limits, enforces } = plan;
  const { originUs } = epoch;
  const head = layoutId(plan);
  const firstCells = firstCellsOf(plan);
  const ringCells = limits.map((limit) => scriptAlgorithmOf(limit).ringCells(limit));
  const idleTtlUs = Math.max(0, ...limits.map((limit) => compileLimit(limit, 0).idleTtlUs));
  const descriptions = limits.flatMap((limit, i) => {
    const algorithm = scriptAlgorithmOf(limit);
    const mode = enforces[i]! ? "1" : "0";
    const firstCell = firstCells[i]! + HEAD_CELLS;
    const numbers = algorithm.numbers(limit, originUs);
    return [algorithm.code, mode, firstCell, limit.capacity, ...numbers, ...blockNumbers(limit)];
  });
  const texts = [limits.length, idleTtlUs, head, ...descriptions, ...layoutTexts(plan)].map(String);
  const blocks = limits.some(({ blockFor }) => blockFor !== undefined);
  const buckets = blocks || limits.length === 0 ? undefined : bucketsOf(plan, firstCells, originUs);
  // Without limits there is nothing to describe.
  const noteAtMs = limits.length === 0 ? Number.POSITIVE_INFINITY : 0;
  return { plan, epoch, head, noteAtMs, others: new OtherLayouts(), texts, buckets, ringCells };
}

/** The texts for a layout whose description is lost. */
export function encodeLostLayout(id: string): readonly string[] {
  return ["0", "0", id, "0"];
}

function layoutTexts(plan: Plan): (string | number)[] {
  const keepsFirst = plan.onChange === "keep-first" ? 1 : 0;
  const identities = plan.limits.map((limit) => {
    const { idleTtlUs } = compileLimit(limit, 0);
    return [limitId(limit), nameId(limit, plan), cellCount(limit), idleTtlUs];
  });
  return [keepsFirst, ...identities.flat()];
}

/** How many durations `blockFor` has, these and `forgetAfter` in microseconds, and whether it extends. */
function blockNumbers({ blockFor }: Limit): readonly number[] {
  if (blockFor === undefined) return [0];
  const { durationsMs, forgetAfterMs, extend } = blockFor;
  const us = [...durationsMs, forgetAfterMs].map((ms) => Math.round(ms * 1000));
  return [durationsMs.length, ...us, extend ? 1 : 0];
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
 * Where each limit's cells begin, counted from 1 behind the head. The order depends on the plan's identity alone. Rings
 * come last: zeros at the end are left out of a value, and so the part of a ring that was never used costs nothing.
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
