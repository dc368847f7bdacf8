import { type Cost, checkCost, readCosts } from "../core/cost.ts";
import { costsOf, countsNumbers } from "../core/plan.ts";
import type { Choice, Pair, PlannedSpace, Selection } from "./selection.ts";

/** A pair with one checked cost per limit. */
export interface Call<Space> extends Pair<Space> {
  readonly costs: readonly number[];
}

/** Where a request is counted and how much. */
export type Calls<Space> = readonly Call<Space>[];

/** A checked request. */
export interface CheckedRequest<Space> {
  /** One for each limiter, whether or not it counts the request. */
  readonly keys: readonly string[];
  readonly calls: Calls<Space>;
}

/** @throws TollgateError `ERR_COST`, `ERR_KEY`, `ERR_LIMITS`, and whatever the key function throws; nothing has changed. */
export function requestFor<Input, Space extends PlannedSpace>(
  selection: Selection<Input, Space>,
  input: Input,
  cost: Cost,
): CheckedRequest<Space> {
  return requestOf(selection, selection.choose(input), cost);
}

/** The same for what has been chosen before. */
export function requestOf<Input, Space extends PlannedSpace>(
  selection: Selection<Input, Space>,
  choice: Choice<Space>,
  cost: Cost,
): CheckedRequest<Space> {
  return { keys: choice.keys, calls: callsOf(selection, choice.pairs(), cost) };
}

function callsOf<Input, Space extends PlannedSpace>(
  { unknownUnits }: Selection<Input, Space>,
  pairs: readonly Pair<Space>[],
  cost: Cost,
): Calls<Space> {
  const [only] = pairs;
  if (only !== undefined && pairs.length === 1 && typeof cost === "number" && countsNumbers(only.space.plan)) {
    checkCost(cost);
    return [
      { space: only.space, key: only.key, costs: only.space.plan.countsNumber.map((counts) => (counts ? cost : 0)) },
    ];
  }
  const costs = readCosts(cost, unitsOf(pairs), unknownUnits);
  return pairs.map(({ space, key }) => ({ space, key, costs: costsOf(space.plan, costs) }));
}

function unitsOf<Space extends PlannedSpace>(pairs: readonly Pair<Space>[]): ReadonlySet<string> {
  const [first] = pairs;
  if (first !== undefined && pairs.length === 1) return first.space.plan.units;
  return new Set(pairs.flatMap(({ space }) => [...space.plan.units]));
}
