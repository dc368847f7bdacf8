import { TollgateError } from "../core/errors.ts";
import { encodeKey, type Key } from "../core/key.ts";
import type { Limit } from "../core/limits/limit.ts";
import { createPlan, identityOf, type Plan } from "../core/plan.ts";
import { ownCopy } from "../core/text-memory.ts";
import { checkChosenLimits, checkLimits, type LimitsFunction } from "./limits-choice.ts";
import type { CheckedOptions } from "./options.ts";
import type { Choice, Place, PlannedSpace, Selection } from "./selection.ts";

/** With so many spaces, idle ones are released. */
const MANY_SPACES = 1_000;
/** The spaces that are kept, idle or not, so that `byKey` finds a key under the limits of the last calls. */
const KEPT_SPACES = 500;

/** Limits chosen per call. Each limit is a plan of its own, so a limit of two lists has one bucket. */
export class DynamicSelection<Input, Space extends PlannedSpace> implements Selection<Input, Space> {
  readonly fixed = undefined;
  readonly unknownUnits = "ignored";
  readonly #options: CheckedOptions<Input>;
  readonly #limits: LimitsFunction<Input>;
  readonly #open: (plan: Plan) => Space;
  readonly #isIdle: (space: Space) => boolean;
  /** In the order in which they were used last, as far as `#spaceByLimit` does not find them first. */
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

  keepKey(given: Key, limits: readonly Limit[] | undefined): Choice<Space> {
    const key = ownCopy(encodeKey(given));
    if (limits !== undefined) return this.#choiceOf(key, checkLimits(limits), undefined);
    return {
      keys: [key],
      deniedBy: undefined,
      lacksLimits: true,
      only: () => undefined,
      places: () => {
        throw new TollgateError(
          "ERR_LIMITS",
          "byKey: expected the key's limits as the second argument, because a function chooses them, got none; " +
            "without them a key can be explained and reset",
        );
      },
      everyPlace: () => this.spaces().map((space) => ({ space, key })),
    };
  }

  spaces(): readonly Space[] {
    return [...new Map([...this.#spaces.values()].map((space) => [space.plan.id, space])).values()];
  }

  maintain(): void {
    if (this.#spaces.size < this.#crowdedAt) return;
    for (const [identity, space] of this.#spaces) {
      if (this.#spaces.size <= KEPT_SPACES) break;
      if (!this.#isIdle(space)) continue;
      this.#spaces.delete(identity);
      space.release();
    }
    this.#spaceByLimit = new WeakMap();
    this.#crowdedAt = Math.max(MANY_SPACES, 2 * this.#spaces.size);
  }

  #choose(input: Input, keep: (key: string) => string): Choice<Space> {
    const key = keep(encodeKey(this.#options.key(input)));
    const chosen = this.#limits(input);
    return this.#choiceOf(key, checkChosenLimits(chosen), chosen === "deny" ? this.#options.name : undefined);
  }

  #choiceOf(key: string, limits: readonly Limit[], deniedBy: string | undefined): Choice<Space> {
    return new ChosenPlaces(key, limits, deniedBy, this);
  }

  /** The space of a limit, opened if necessary. */
  spaceOf(limit: Limit): Space {
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
    if (known !== undefined) this.#spaces.delete(identity);
    const space = known ?? this.#open(createPlan(this.#options.scope, this.#options.name, [limit]));
    this.#spaces.set(identity, space);
    return space;
  }
}

/** The places of one key under some limits. */
class ChosenPlaces<Space extends PlannedSpace> implements Choice<Space> {
  readonly key: string;
  readonly deniedBy: string | undefined;
  readonly #limits: readonly Limit[];
  readonly #selection: { spaceOf(limit: Limit): Space; spaces(): readonly Space[] };

  constructor(
    key: string,
    limits: readonly Limit[],
    deniedBy: string | undefined,
    selection: { spaceOf(limit: Limit): Space; spaces(): readonly Space[] },
  ) {
    this.key = key;
    this.deniedBy = deniedBy;
    this.#limits = limits;
    this.#selection = selection;
  }

  get keys(): readonly string[] {
    return [this.key];
  }

  /** A plain cost counts in the only unit of one limit. */
  only(): Place<Space> | undefined {
    const [limit] = this.#limits;
    if (limit === undefined || this.#limits.length > 1) return undefined;
    return { space: this.#selection.spaceOf(limit), key: this.key };
  }

  places(): readonly Place<Space>[] {
    return this.#limits.map((limit) => ({ space: this.#selection.spaceOf(limit), key: this.key }));
  }

  everyPlace(): readonly Place<Space>[] {
    // Opens the limits that apply now: the store may have the key under them, from another limiter of this name.
    this.places();
    return this.#selection.spaces().map((space) => ({ space, key: this.key }));
  }
}

function itself(key: string): string {
  return key;
}
