import { show, TollgateError } from "../core/errors.ts";
import { encodeKey, type Key } from "../core/key.ts";
import type { Limit } from "../core/limits/limit.ts";
import { countsNumbers, type Scope } from "../core/plan.ts";
import type { AsyncStore, SyncStore } from "../core/store.ts";
import { Choice, type ChosenSpaces } from "./choice.ts";
import { type PlannedSpace, SpaceList } from "./space-list.ts";

/** Where a limiter's cells are. Limiters of one source may share cells. */
export interface Source {
  /** The store, or the `identity` that several objects of one store share. */
  readonly store: SyncStore | AsyncStore | string;
  /** The store, as this limiter has opened it. */
  readonly opened: SyncStore | AsyncStore;
  readonly scope: Scope;
}

/** Which spaces and keys an input concerns. */
export interface Selection<Input, Space extends PlannedSpace> {
  /** Itself, when its limits are fixed: then it has one space. Otherwise `undefined`. */
  readonly fixed: FixedSelection<Input, Space> | undefined;
  /** Adds key and limits for one call to a choice. */
  choose(input: Input, choice: Choice<Space>): void;
  /** Works like `choose`, for a key that is known already. `limits` are those of the key if a function chooses them. */
  chooseKey(key: Key, limits: readonly Limit[] | undefined, choice: Choice<Space>): void;
  /** The spaces of a choice that this selection made. */
  listOf(choice: Choice<Space>): SpaceList<Space>;
  /** The spaces that are open, each set of cells once. */
  spaces(): readonly Space[];
  /** Enough of these spaces to forget all keys. */
  spacesToForget(): readonly Space[];
  /** Releases all spaces. */
  release(): void;
  /** Releases empty spaces, if there are many. Must not come between `listOf` and the count. */
  maintain(): void;
}

/** Fixed limits: one plan, one space. */
export class FixedSelection<Input, Space extends PlannedSpace> implements ChosenSpaces<Space>, Selection<Input, Space> {
  readonly fixed: this = this;
  /** The key as it was given: callers encode it. */
  readonly key: (input: Input) => Key;
  readonly space: Space;
  readonly #list: SpaceList<Space>;

  constructor(key: (input: Input) => Key, space: Space) {
    this.key = key;
    this.space = space;
    this.#list = new SpaceList([space], [0], "refused");
  }

  choose(input: Input, choice: Choice<Space>): void {
    choice.add(encodeKey(this.key(input)), this, undefined);
  }

  chooseKey(key: Key, limits: readonly Limit[] | undefined, choice: Choice<Space>): void {
    if (limits === undefined) {
      choice.add(encodeKey(key), this, undefined);
      return;
    }
    throw new TollgateError(
      "ERR_OPTION",
      `byKey: expected a key alone, because the limits are fixed, got ${show(limits)} too`,
    );
  }

  /** Whether the limits count plain numbers, and block no keys. */
  get isPlain(): boolean {
    return countsNumbers(this.space.plan) && !this.#list.blocks;
  }

  /** The choice of a key that is encoded already. */
  choiceOf(key: string): Choice<Space> {
    const choice = new Choice<Space>();
    choice.add(key, this, undefined);
    return choice;
  }

  listOf(): SpaceList<Space> {
    return this.#list;
  }

  list(): SpaceList<Space> {
    return this.#list;
  }

  spaces(): readonly Space[] {
    return this.#list.spaces;
  }

  everySpace(): readonly Space[] {
    return this.#list.spaces;
  }

  spacesToForget(): readonly Space[] {
    return this.#list.spaces;
  }

  release(): void {
    this.space.release();
  }

  maintain(): void {}
}
