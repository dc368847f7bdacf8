import type { Key } from "../core/key.ts";
import type { ChosenLimits } from "./limits-choice.ts";
import type { CheckedOptions } from "./options.ts";

/** What an input is counted by. */
export interface Found {
  readonly key: Key;
  /** `undefined` if the limits are fixed. */
  readonly limits: ChosenLimits | undefined;
}

/**
 * Whether the value was written as an async function. Its form tells in every realm, and after `bind`. A function that
 * a compiler has turned into another form does not tell.
 */
export function isAsyncFunction(value: unknown): boolean {
  return typeof value === "function" && Object.prototype.toString.call(value) === "[object AsyncFunction]";
}

/** Calls the key and limits functions of these options, and waits for both. */
export function lookUpOf<Input>({ key, limits }: CheckedOptions<Input>): (input: Input) => Promise<Found> {
  const findKey = later(key);
  if (typeof limits !== "function") return async (input) => ({ key: await findKey(input), limits: undefined });
  const findLimits = later(limits);
  return async (input) => {
    const [foundKey, foundLimits] = await Promise.all([findKey(input), findLimits(input)]);
    return { key: foundKey, limits: foundLimits };
  };
}

/** The options of a limiter over what was found. */
export function foundOptions<Input>(options: CheckedOptions<Input>): CheckedOptions<Found> {
  return {
    ...options,
    key: (found) => found.key,
    // Checked by the selection: an untyped function may return anything.
    limits: typeof options.limits === "function" ? (found) => found.limits as ChosenLimits : options.limits,
  };
}

/** Turns what the function throws into a rejection, so that no other look-up is left without a listener. */
function later<Input, Result>(look: (input: Input) => Result | PromiseLike<Result>): (input: Input) => Promise<Result> {
  return async (input) => look(input);
}
