import { TollgateError } from "../core/errors.ts";
import type { Choice } from "./choice.ts";
import { ListCache } from "./list-cache.ts";
import type { Selection } from "./selection.ts";
import { type PlannedSpace, SpaceList } from "./space-list.ts";

/** Several selections as one. */
export class CombinedSelection<Input, Part, Space extends PlannedSpace> implements Selection<Input, Space> {
  readonly fixed = undefined;
  readonly #parts: readonly Selection<Part, Space>[];
  readonly #inputOf: (input: Input, index: number) => Part;
  /** The parts that may have spaces to release. */
  readonly #dynamic: readonly Selection<Part, Space>[];
  readonly #joined = new ListCache<SpaceList<Space>, SpaceList<Space>>();
  /** The lists of the last call, and their joined list. */
  #lastLists: readonly SpaceList<Space>[] = [];
  #last: SpaceList<Space> = new SpaceList<Space>([], [], "ignored");

  /** `inputOf` finds the input of the part with that index. */
  constructor(parts: readonly Selection<Part, Space>[], inputOf: (input: Input, index: number) => Part) {
    this.#parts = parts;
    this.#dynamic = parts.filter((part) => part.fixed === undefined);
    this.#inputOf = inputOf;
  }

  choose(input: Input, choice: Choice<Space>): void {
    for (let i = 0; i < this.#parts.length; i += 1) this.#parts[i]!.choose(this.#inputOf(input, i), choice);
  }

  chooseKey(): never {
    throw new TollgateError("ERR_COMBINE", "byKey: expected one limiter, got a combination; ask each of its limiters");
  }

  listOf({ chosen }: Choice<Space>): SpaceList<Space> {
    const last = this.#lastLists;
    if (last.length !== chosen.length) return this.#join(chosen.map((one) => one.list()));
    for (let i = 0; i < chosen.length; i += 1) {
      if (chosen[i]!.list() !== last[i]) return this.#join(chosen.map((one) => one.list()));
    }
    return this.#last;
  }

  spaces(): readonly Space[] {
    return this.#parts.flatMap((part) => part.spaces());
  }

  spacesToForget(): readonly Space[] {
    return this.#parts.flatMap((part) => part.spacesToForget());
  }

  release(): void {
    for (const part of this.#parts) part.release();
  }

  maintain(): void {
    for (const part of this.#dynamic) part.maintain();
  }

  #join(lists: readonly SpaceList<Space>[]): SpaceList<Space> {
    let joined = this.#joined.get(lists);
    if (joined === undefined) {
      const keyIndexes = lists.flatMap((list, index) => list.spaces.map(() => index));
      joined = new SpaceList(
        lists.flatMap(({ spaces }) => spaces),
        keyIndexes,
        "ignored",
      );
      this.#joined.set(lists, joined);
    }
    this.#lastLists = lists;
    this.#last = joined;
    return joined;
  }
}
