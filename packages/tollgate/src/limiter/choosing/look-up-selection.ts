import type { Key } from "../../core/key.ts";
import type { Limit } from "../../core/limits/limit.ts";
import type { CheckedOptions } from "../options.ts";
import type { ChosenLimits } from "./limits-choice.ts";
import type { Owner } from "./owner.ts";
import type { Selected } from "./selected.ts";
import type { FixedSelection, Selection } from "./selection.ts";
import type { Space } from "./space.ts";

/** What an input is counted by. */
export interface Found {
  readonly key: Key;
  /** `undefined` if the limits are fixed. */
  readonly limits: ChosenLimits | undefined;
}

/** Looks up what an input is counted by. Nothing is counted before the look-up is over. */
export class LookUpSelection<Input> implements Selection<Input> {
  readonly fixed: FixedSelection<Input> | undefined = undefined;
  readonly owners: readonly Owner[];
  readonly #lookUp: (input: Input) => Promise<Found>;
  readonly #selection: Selection<Found>;

  constructor(lookUp: (input: Input) => Promise<Found>, selection: Selection<Found>) {
    this.#lookUp = lookUp;
    this.#selection = selection;
    this.owners = selection.owners;
  }

  async select(input: Input, into: Selected): Promise<void> {
    await this.#selection.select(await this.#lookUp(input), into);
  }

  selectKey(key: Key, limits: readonly Limit[] | undefined, into: Selected): void {
    this.#selection.selectKey(key, limits, into);
  }

  spaces(): readonly Space[] {
    return this.#selection.spaces();
  }

  release(): void {
    this.#selection.release();
  }
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

/** The options of a selection over what was found. */
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
