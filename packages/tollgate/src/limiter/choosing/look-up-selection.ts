import type { Key } from "../../core/key.ts";
import { later } from "../../core/maybe-async.ts";
import type { CheckedOptions } from "../options.ts";
import type { ChosenLimits } from "./limits-choice.ts";
import type { Selection } from "./selection.ts";

/** What an input is counted by. */
export interface Found {
  readonly key: Key;
  /** `undefined` if the limits are fixed. */
  readonly limits: ChosenLimits | undefined;
}

/** A selection that looks up what an input is counted by. Nothing is counted before the look-up is over. */
export function lookingUp<Input>(
  { key, limits }: CheckedOptions<Input>,
  selection: Selection<Found>,
): Selection<Input> {
  const lookUp = async (input: Input): Promise<Found> => {
    // What one function throws must not leave the promise of the other without a listener.
    const [foundKey, foundLimits] = await Promise.all([
      later(() => key(input)),
      later(() => (typeof limits === "function" ? limits(input) : undefined)),
    ]);
    return { key: foundKey, limits: foundLimits };
  };
  return {
    fixed: undefined,
    owners: selection.owners,
    select: async (input, into) => selection.select(await lookUp(input), into),
    selectKey: (given, own, into) => selection.selectKey(given, own, into),
    spaces: () => selection.spaces(),
    release: () => selection.release(),
  };
}

/**
 * Whether the value was written as an async function. Its form tells in every realm, and after `bind`. A function that
 * a compiler has turned into another form does not tell.
 */
export function isAsyncFunction(value: unknown): boolean {
  return typeof value === "function" && Object.prototype.toString.call(value) === "[object AsyncFunction]";
}

/** The options of a selection over what was found. */
export function foundOptions<Input>(options: CheckedOptions<Input>): CheckedOptions<Found> {
  return {
    ...options,
    key: (found) => found.key,
    // Checked by the selection: an untyped function may return anything.
    limits: typeof options.limits === "function" ? (found) => found.limits as ChosenLimits : options.limits,
  };
}
