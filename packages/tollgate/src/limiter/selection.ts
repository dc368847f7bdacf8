import type { Limit } from "../core/limits/limit.ts";
import { checkNames, createPlan, identityOf, type Plan, type Scope } from "../core/plan.ts";
import type { AsyncStore, Call, SyncStore } from "../core/store.ts";
import { ownCopy } from "../core/text-memory.ts";
import { checkKey } from "./check-arguments.ts";
import { type CheckedOptions, checkLimits, type LimitsFunction } from "./options.ts";

/** What selections need of a space, synchronous or not. */
export interface PlannedSpace {
  readonly plan: Plan;
  release(): void;
}

/** Where a call is counted: one key in one space. */
export type Place<Space> = Omit<Call<Space>, "costs">;

/** Keys and limits, chosen for an input. */
export interface Choice<Space> {
  /** One for each limiter, whether or not it has limits for this input. */
  readonly keys: readonly string[];
  /** Every place where the call is counted. Opens spaces that were released again. */
  places(): readonly Place<Space>[];
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
  /** Every place where this input may have been counted, under the limits of now or of earlier. */
  everyPlace(input: Input): readonly Place<Space>[];
  /** The spaces that are open, each set of cells once. */
  spaces(): readonly Space[];
  /** Releases empty spaces, if there are many. Must not come between the choice of a place and the count in it. */
  maintain(): void;
}

/** Fixed limits: one plan, one space. */
export class FixedSelection<Input, Space extends PlannedSpace> implements Selection<Input, Space> {
  readonly fixed: this = this;
  readonly unknownUnits = "refused";
  readonly key: (input: Input) => string;
  readonly space: Space;

  constructor(key: (input: Input) => string, space: Space) {
    this.key = key;
    this.space = space;
  }

  choose(input: Input): Choice<Space> {
    const key = this.key(input);
    checkKey(key);
    return this.#choiceOf(key);
  }

  keep(input: Input): Choice<Space> {
    const key = this.key(input);
    checkKey(key);
    return this.#choiceOf(ownCopy(key));
  }

  everyPlace(input: Input): readonly Place<Space>[] {
    return this.choose(input).places();
  }

  #choiceOf(key: string): Choice<Space> {
    const places = [{ space: this.space, key }];
    return { keys: [key], places: () => places };
  }

  spaces(): readonly Space[] {
    return [this.space];
  }

  maintain(): void {}
}

/** With so many spaces, empty ones are released. */
const MANY_SPACES = 1_000;

/** Limits chosen per call. Each limit is a plan of its own, so a limit of two lists has one bucket. */
export class DynamicSelection<Input, Space extends PlannedSpace> implements Selection<Input, Space> {
  readonly fixed = undefined;
  readonly unknownUnits = "ignored";
  readonly #options: CheckedOptions<Input>;
  readonly #limits: LimitsFunction<Input>;
  readonly #open: (plan: Plan) => Space;
  readonly #isIdle: (space: Space) => boolean;
  readonly #spaces = new Map<string, Space>();
  /** The spaces by limit object: most limits functions return the same few objects. */
  #spaceByLimit = new WeakMap<Limit, Space>();
  #crowdedAt = MANY_SPACES;

  constructor(
    options: CheckedOptions<Input>,
    limits: LimitsFunction<Input>,
    open: (plan: Plan) => Space,
    isIdle: (space: Space) => boolean,
  ) {
    this.#options = options;
    this.#limits = limits;
    this.#open = open;
    this.#isIdle = isIdle;
  }

  choose(input: Input): Choice<Space> {
    return this.#choose(input, itself);
  }

  keep(input: Input): Choice<Space> {
    return this.#choose(input, ownCopy);
  }

  #choose(input: Input, keep: (key: string) => string): Choice<Space> {
    const given = this.#options.key(input);
    checkKey(given);
    const key = keep(given);
    const limits = checkLimits(this.#limits(input) ?? [], "any number of limits");
    // Checked before any space is opened, so that a rejected list leaves nothing behind.
    checkNames(limits);
    return { keys: [key], places: () => limits.map((limit) => ({ space: this.#spaceOf(limit), key })) };
  }

  everyPlace(input: Input): readonly Place<Space>[] {
    const { keys, places } = this.choose(input);
    // Opens the limits that apply now: the store may have the key under them, from another limiter of this name.
    places();
    return this.spaces().flatMap((space) => keys.map((key) => ({ space, key })));
  }

  spaces(): readonly Space[] {
    return [...new Map([...this.#spaces.values()].map((space) => [space.plan.id, space])).values()];
  }

  maintain(): void {
    if (this.#spaces.size < this.#crowdedAt) return;
    for (const [identity, space] of this.#spaces) {
      if (!this.#isIdle(space)) continue;
      this.#spaces.delete(identity);
      space.release();
    }
    this.#spaceByLimit = new WeakMap();
    this.#crowdedAt = Math.max(MANY_SPACES, 2 * this.#spaces.size);
  }

  #spaceOf(limit: Limit): Space {
    const known = this.#spaceByLimit.get(limit);
    if (known !== undefined) return known;
    const space = this.#spaceOfIdentity(limit);
    this.#spaceByLimit.set(limit, space);
    return space;
  }

  #spaceOfIdentity(limit: Limit): Space {
    // The shadow form and the enforcing form of a limit share cells, but not a space, because the space knows the mode.
    const identity = `${limit.mode}\n${identityOf(limit)}`;
    const known = this.#spaces.get(identity);
    if (known !== undefined) return known;
    const space = this.#open(createPlan(this.#options.scope, this.#options.name, [limit]));
    this.#spaces.set(identity, space);
    return space;
  }
}

function itself(key: string): string {
  return key;
}

/** Several selections as one. */
export class CombinedSelection<Input, Space extends PlannedSpace> implements Selection<Input, Space> {
  readonly fixed = undefined;
  readonly unknownUnits = "ignored";
  readonly #parts: readonly Selection<Input, Space>[];

  constructor(parts: readonly Selection<Input, Space>[]) {
    this.#parts = parts;
  }

  choose(input: Input): Choice<Space> {
    return together(this.#parts.map((part) => part.choose(input)));
  }

  keep(input: Input): Choice<Space> {
    return together(this.#parts.map((part) => part.keep(input)));
  }

  everyPlace(input: Input): readonly Place<Space>[] {
    return this.#parts.flatMap((part) => part.everyPlace(input));
  }

  spaces(): readonly Space[] {
    return this.#parts.flatMap((part) => part.spaces());
  }

  maintain(): void {
    for (const part of this.#parts) part.maintain();
  }
}

function together<Space>(choices: readonly Choice<Space>[]): Choice<Space> {
  return {
    keys: choices.flatMap(({ keys }) => keys),
    places: () => choices.flatMap((choice) => choice.places()),
  };
}
