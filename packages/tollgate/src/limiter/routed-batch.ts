import type { Cost } from "../core/cost.ts";
import { batchOf } from "./batch.ts";
import type { RoutedTo, Router } from "./router.ts";

/** Inputs one after another that one limiter decides, at one cost. */
interface Batch<Kind extends "sync" | "async", Found> {
  /** The index of the first. */
  readonly from: number;
  readonly limiter: RoutedTo<Kind, Found>;
  readonly found: Found[];
  readonly costs: Cost;
}

/** Splits a batch by the limiters that decide. Every input is checked before any is counted. */
export function batchesOf<Kind extends "sync" | "async", Input, Found>(
  router: Router<Kind, Input, Found>,
  inputs: readonly Input[],
  cost: Cost | undefined,
): Batch<Kind, Found>[] {
  const batches: Batch<Kind, Found>[] = [];
  for (const [from, input] of inputs.entries()) {
    const found = router.read(input);
    const route = router.routeOf(found);
    const costs = route.cost.of(found, cost);
    const last = batches.at(-1);
    if (last?.limiter === route.limiter && isSameCost(last.costs, costs)) last.found.push(found);
    else batches.push({ from, limiter: route.limiter, found: [found], costs });
  }
  // A limiter checks its own batch.
  if (batches.length > 1)
    for (const { limiter, found, costs } of batches) batchOf(limiter.selection, found as never[], costs);
  return batches;
}

function isSameCost(one: Cost, other: Cost): boolean {
  return one === other || (typeof one === "object" && JSON.stringify(one) === JSON.stringify(other));
}
