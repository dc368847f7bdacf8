import { show, TollgateError } from "../core/errors.ts";
import { encodeKey, type Key } from "../core/key.ts";
import type { Limit } from "../core/limits/limit.ts";
import { countsNumbers, type Plan, type Scope } from "../core/plan.ts";
import type { AsyncStore, Call, SyncStore } from "../core/store.ts";
import { ownCopy } from "../core/text-memory.ts";

/** What selections need of a space, synchronous or not. */
export interface PlannedSpace {
  readonly plan: Plan;
  release(): void;
}

/** Where a call is counted: one key in one space. */
export type Place<Space> = Omit<Call<Space>, "costs">;

/** Keys and limits, chosen for an input. */
export interface Choice<Space> {
  /** One for each limiter, encoded, whether or not it has limits for this input. */
  readonly keys: readonly string[];
  /** The name of the limiter whose limits function returned `"deny"`. */
  readonly deniedBy: string | undefined;
  /** Set if the key is known but its limits are not: then `places` throws. */
  readonly lacksLimits?: true;
  /** The only place, if a plain cost counts there. Otherwise `undefined`. */
  only(): Place<Space> | undefined;
  /** Every place where the call is counted. Opens spaces that were released again. */
  places(): readonly Place<Space>[];
  /** Every place where the key may have been counted, under the limits of now or of earlier. */
  everyPlace(): readonly Place<Space>[];
}

/** Where a limiter's cells are. Limiters of one source may share cells. */
export interface Source {
  /** The store, or the `identity` that several objects of one store share. */
  readonly store: SyncStore | AsyncStore | string;
  readonly scope: Scope;
}

/** Which spaces and keys an input concerns. */
export interface Selection<Input, Space extends PlannedSpace> {
  /** Itself, when its limits are fixed: then it has one space. Otherwise `undefined`. */
  readonly fixed: FixedSelection<Input, Space> | undefined;
  /** Whether a cost in a unit that no limit counts is an error. */
  readonly unknownUnits: "refused" | "ignored";
  /** Chooses key and limits for one call. */
  choose(input: Input): Choice<Space>;
  /**
   * Works like `choose`, for later calls. It copies the key, so that a longer string that the key is part of is not
   * kept.
   */
  keep(input: Input): Choice<Space>;
  /** Works like `keep`, for a key that is known already. `limits` are those of the key if a function chooses them. */
  keepKey(key: Key, limits: readonly Limit[] | undefined): Choice<Space>;
  /** The spaces that are open, each set of cells once. */
  spaces(): readonly Space[];
  /** Releases empty spaces, if there are many. Must not come between the choice of a place and the count in it. */
  maintain(): void;
}

/** Fixed limits: one plan, one space. */
export class FixedSelection<Input, Space extends PlannedSpace> implements Selection<Input, Space> {
  readonly fixed: this = this;
  readonly unknownUnits = "refused";
  /** The key as it was given: callers encode it. */
  readonly key: (input: Input) => Key;
  readonly space: Space;

  constructor(key: (input: Input) => Key, space: Space) {
    this.key = key;
    this.space = space;
  }

  choose(input: Input): Choice<Space> {
    return this.#choiceOf(encodeKey(this.key(input)));
  }

  keep(input: Input): Choice<Space> {
    return this.#choiceOf(ownCopy(encodeKey(this.key(input))));
  }

  keepKey(key: Key, limits: readonly Limit[] | undefined): Choice<Space> {
    if (limits === undefined) return this.#choiceOf(ownCopy(encodeKey(key)));
    throw new TollgateError(
      "ERR_OPTION",
      `byKey: expected a key alone, because the limits are fixed, got ${show(limits)} too`,
    );
  }

  #choiceOf(key: string): Choice<Space> {
    const place = { space: this.space, key };
    const places = () => [place];
    const only = () => (countsNumbers(place.space.plan) ? place : undefined);
    return { keys: [key], deniedBy: undefined, only, places, everyPlace: places };
  }

  spaces(): readonly Space[] {
    return [this.space];
  }

  maintain(): void {}
}
