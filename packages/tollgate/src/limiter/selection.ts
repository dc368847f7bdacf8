import type { Limit } from "../core/limits/limit.ts";
import { ownCopy } from "../core/own-copy.ts";
import { checkNames, createPlan, identityOf, type Plan, type Scope } from "../core/plan.ts";
import type { AsyncStore, SyncStore } from "../core/store.ts";
import { type CheckedOptions, checkKey, checkLimits, type LimitsFunction } from "./options.ts";

/** What selections need to know of a space, synchronous or not. */
export interface PlannedSpace {
  readonly plan: Plan;
  release(): void;
}

/** Where a call is counted: one key in one space. */
export interface Pair<Space> {
  readonly space: Space;
  readonly key: string;
}

/** Keys and limits, chosen for an input. */
export interface Choice<Space> {
  /** One for each limiter, whether or not it has limits for this input. */
  readonly keys: readonly string[];
  /** Every pair that a call is counted in; all or nothing. Opens spaces that were let go again. */
  pairs(): readonly Pair<Space>[];
}

/** Where a limiter's cells are: limiters of one source may count in the same ones. */
export interface Source {
  /** The store, or what it has in common with other objects that are the same store. */
  readonly store: SyncStore | AsyncStore | string;
  readonly scope: Scope;
}

/** Which spaces and keys an input concerns. */
export interface Selection<Input, Space extends PlannedSpace> {
  /** Itself, when its limits are fixed: then it has one space. Otherwise `undefined`. */
  readonly fixed: FixedSelection<Input, Space> | undefined;
  /** What becomes of a cost in a unit that no limit counts. */
  readonly unknownUnits: "refused" | "ignored";
  /** Chooses key and limits for one call. */
  choose(input: Input): Choice<Space>;
  /** As `choose`, for later calls: it keeps a copy of the key, not what the key was cut out of. */
  keep(input: Input): Choice<Space>;
  /** Every pair in which this input may have been counted, whatever limits apply to it now. */
  everyPair(input: Input): readonly Pair<Space>[];
  /** The spaces that are open, each set of cells once. */
  spaces(): readonly Space[];
  /** Lets spaces go that have no keys, when there are many. Not between naming a pair and counting in it. */
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

  everyPair(input: Input): readonly Pair<Space>[] {
    return this.choose(input).pairs();
  }

  #choiceOf(key: string): Choice<Space> {
    const pairs = [{ space: this.space, key }];
    return { keys: [key], pairs: () => pairs };
  }

  spaces(): readonly Space[] {
    return [this.space];
  }

  maintain(): void {}
}

/** From here on, spaces without keys are let go. */
const MANY_SPACES = 1_000;

/** Limits chosen per call: each limit is a plan of its own, so a limit that stands in two lists is one bucket. */
export class DynamicSelection<Input, Space extends PlannedSpace> implements Selection<Input, Space> {
  readonly fixed = undefined;
  readonly unknownUnits = "ignored";
  readonly #options: CheckedOptions<Input>;
  readonly #limits: LimitsFunction<Input>;
  readonly #open: (plan: Plan) => Space;
  readonly #isIdle: (space: Space) => boolean;
  readonly #spaces = new Map<string, Space>();
  /** The same by limit: most callers return the same few. */
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
    // Checked before any space is opened: a list that is refused leaves nothing behind.
    checkNames(limits);
    return { keys: [key], pairs: () => limits.map((limit) => ({ space: this.#spaceOf(limit), key })) };
  }

  everyPair(input: Input): readonly Pair<Space>[] {
    const { keys, pairs } = this.choose(input);
    // Opens the limits that apply now: the store may hold the key under them though this limiter has not seen it.
    pairs();
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
    // Shadow and enforcing forms of a limit share their cells, but not the space that knows the mode.
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

  everyPair(input: Input): readonly Pair<Space>[] {
    return this.#parts.flatMap((part) => part.everyPair(input));
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
    pairs: () => choices.flatMap((choice) => choice.pairs()),
  };
}
