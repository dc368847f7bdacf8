import type { Cost } from "../core/cost.ts";
import type { Decision } from "../core/decision.ts";
import type { Key } from "../core/key.ts";
import type { Limit } from "../core/limits/limit.ts";
import type { Report } from "../core/report.ts";
import type { Call } from "../core/store.ts";
import { Choice } from "./choice.ts";
import type { Selection } from "./selection.ts";
import { type PlannedSpace, SpaceList } from "./space-list.ts";

/** A checked request: the keys of all limiters, and a call for each key in a space where the request is counted. */
export interface CheckedRequest<Space> {
  /** One per limiter, whether or not it counts the request. */
  readonly keys: readonly string[];
  /** The name of the limiter whose limits function returned `"deny"`. */
  readonly deniedBy: string | undefined;
  readonly calls: readonly Call<Space>[];
  /** For each call, the index of its limiter among the keys. */
  readonly members: readonly number[];
}

/** Makes a result of a request that was decided. */
export type ReadDecided<Space, T> = (decision: Decision, report: Report, request: CheckedRequest<Space>) => T;

/** Keys and limits for one input. */
export function choiceFor<Input, Space extends PlannedSpace>(
  selection: Selection<Input, Space>,
  input: Input,
): Choice<Space> {
  const choice = new Choice<Space>();
  selection.choose(input, choice);
  return choice;
}

/** Works like `choiceFor`, for later calls, and for a key that is known already. */
export function keyChoiceFor<Input, Space extends PlannedSpace>(
  selection: Selection<Input, Space>,
  key: Key,
  limits: readonly Limit[] | undefined,
): Choice<Space> {
  const choice = new Choice<Space>();
  selection.chooseKey(key, limits, choice);
  return choice.kept();
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
  return requestOf(selection, choiceFor(selection, input), cost);
}

/** Works like `requestFor`, for keys and limits that are chosen already. */
export function requestOf<Input, Space extends PlannedSpace>(
  selection: Selection<Input, Space>,
  choice: Choice<Space>,
  cost: Cost,
): CheckedRequest<Space> {
  return requestIn(selection.listOf(choice), choice, cost);
}

/** A request in every place where the only key of a choice may have been counted. */
export function requestEverywhere<Space extends PlannedSpace>(
  choice: Choice<Space>,
  cost: Cost,
): CheckedRequest<Space> {
  const spaces = choice.chosen.flatMap((chosen) => chosen.everySpace());
  const list = new SpaceList(
    spaces,
    spaces.map(() => 0),
    "ignored",
  );
  return requestIn(list, choice, cost);
}

function requestIn<Space extends PlannedSpace>(
  list: SpaceList<Space>,
  choice: Choice<Space>,
  cost: Cost,
): CheckedRequest<Space> {
  const costs: number[] = [];
  list.readCosts(cost, costs);
  return requestWith(list, choice, costs);
}

/** A request whose costs are known: one for each limit of all spaces. */
export function requestWith<Space extends PlannedSpace>(
  list: SpaceList<Space>,
  choice: Choice<Space>,
  costs: readonly number[],
): CheckedRequest<Space> {
  let from = 0;
  const calls = list.countedKeys(choice.keys).map(({ space, key }) => {
    const until = from + space.plan.limits.length;
    const call = { space, key, costs: costs.slice(from, until) };
    from = until;
    return call;
  });
  return { keys: choice.keys, deniedBy: choice.deniedBy, calls, members: list.keyIndexes };
}
