import { TollgateError } from "../core/errors.ts";
import type { Choice, PlannedSpace, Selection } from "./selection.ts";

/** Several selections as one. */
export class CombinedSelection<Input, Part, Space extends PlannedSpace> implements Selection<Input, Space> {
  readonly fixed = undefined;
  readonly unknownUnits = "ignored";
  readonly #parts: readonly Selection<Part, Space>[];
  readonly #inputOf: (input: Input, index: number) => Part;

  /** `inputOf` finds the input of the part with that index. */
  constructor(parts: readonly Selection<Part, Space>[], inputOf: (input: Input, index: number) => Part) {
    this.#parts = parts;
    this.#inputOf = inputOf;
  }

  choose(input: Input): Choice<Space> {
    return together(this.#parts.map((part, index) => part.choose(this.#inputOf(input, index))));
  }

  keep(input: Input): Choice<Space> {
    return together(this.#parts.map((part, index) => part.keep(this.#inputOf(input, index))));
  }

  keepKey(): never {
    throw new TollgateError("ERR_COMBINE", "byKey: expected one limiter, got a combination; ask each of its limiters");
  }

  spaces(): readonly Space[] {
    return this.#parts.flatMap((part) => part.spaces());
  }

  maintain(): void {
    for (const part of this.#parts) part.maintain();
  }
}

/** The choices of all parts, in their order. */
function together<Space>(choices: readonly Choice<Space>[]): Choice<Space> {
  return {
    keys: joined(choices, ({ keys }) => keys),
    deniedBy: choices.find(({ deniedBy }) => deniedBy !== undefined)?.deniedBy,
    only: () => undefined,
    places: () => joined(choices, (choice) => choice.places()),
    everyPlace: () => joined(choices, (choice) => choice.everyPlace()),
  };
}

/** Works like `flatMap`, which takes several times as long. */
function joined<Space, T>(choices: readonly Choice<Space>[], listOf: (choice: Choice<Space>) => readonly T[]): T[] {
  const all: T[] = [];
  for (const choice of choices) for (const one of listOf(choice)) all.push(one);
  return all;
}
