import { type Cost, checkCost, REQUESTS, readCosts } from "../core/cost.ts";
import { costsOf, countsNumbers } from "../core/plan.ts";
import type { Call } from "../core/store.ts";
import type { Choice, Place, PlannedSpace, Selection } from "./selection.ts";

/** A checked request: the keys of all limiters, and a call for each place where the request is counted. */
export interface CheckedRequest<Space> {
  /** One per limiter, whether or not it counts the request. */
  readonly keys: readonly string[];
  /** The name of the limiter whose limits function returned `"deny"`. */
  readonly deniedBy: string | undefined;
  readonly calls: readonly Call<Space>[];
}

/**
 * Chooses keys and limits for an input, and checks its cost.
 *
 * @throws TollgateError `ERR_COST`, `ERR_KEY`, `ERR_LIMITS`, and what the key function throws; nothing has changed.
 */
export function requestFor<Input, Space extends PlannedSpace>(
  selection: Selection<Input, Space>,
  input: Input,
  cost: Cost,
): CheckedRequest<Space> {
  return requestOf(selection, selection.choose(input), cost);
}

/** Works like `requestFor`, for keys and limits that are chosen already. */
export function requestOf<Input, Space extends PlannedSpace>(
  selection: Selection<Input, Space>,
  choice: Choice<Space>,
  cost: Cost,
): CheckedRequest<Space> {
  const { keys, deniedBy } = choice;
  return { keys, deniedBy, calls: callsOf(selection, choice.places(), cost) };
}

function callsOf<Input, Space extends PlannedSpace>(
  { unknownUnits }: Selection<Input, Space>,
  places: readonly Place<Space>[],
  cost: Cost,
): readonly Call<Space>[] {
  if (
    typeof cost !== "number" ||
    (unknownUnits === "refused" && !places.every(({ space }) => countsNumbers(space.plan)))
  ) {
    const costs = readCosts(cost, unitsOf(places), unknownUnits);
    return places.map(({ space, key }) => ({ space, key, costs: costsOf(space.plan, costs) }));
  }
  checkCost(cost);
  const unit = onlyUnitOf(places) ?? REQUESTS;
  return places.map(({ space, key }) => ({
    space,
    key,
    costs: space.plan.limits.map((limit) => (limit.unit === unit ? cost : 0)),
  }));
}

function unitsOf<Space extends PlannedSpace>(places: readonly Place<Space>[]): ReadonlySet<string> {
  const [first] = places;
  if (first !== undefined && places.length === 1) return first.space.plan.units;
  return new Set(places.flatMap(({ space }) => [...space.plan.units]));
}

/** The unit of all limits of the places, if they have the same one. */
function onlyUnitOf<Space extends PlannedSpace>(places: readonly Place<Space>[]): string | undefined {
  const unit = places[0]?.space.plan.limits[0]?.unit;
  for (const { space } of places) {
    if (space.plan.units.size > 1 || space.plan.limits[0]?.unit !== unit) return undefined;
  }
  return unit;
}
