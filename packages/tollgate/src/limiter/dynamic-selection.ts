import { TollgateError } from "../core/errors.ts";
import { encodeKey, type Key } from "../core/key.ts";
import type { Limit } from "../core/limits/limit.ts";
import { countsName, createPlan, identityOf, type Plan } from "../core/plan.ts";
import type { Choice, ChosenSpaces } from "./choice.ts";
import { checkChosenLimits, checkLimits, type LimitsFunction } from "./limits-choice.ts";
import { haveSameItems, ListCache } from "./list-cache.ts";
import type { CheckedOptions } from "./options.ts";
import type { Selection } from "./selection.ts";
import { type PlannedSpace, SpaceList } from "./space-list.ts";

/** With so many spaces, idle ones are released. */
const MANY_SPACES = 1_000;
/** The spaces that are kept, idle or not, so that `byKey` finds a key under the limits of the last calls. */
const KEPT_SPACES = 500;

/** Limits chosen per call. Each limit is a plan of its own, so a limit of two lists has one bucket. */
export class DynamicSelection<Input, Space extends PlannedSpace> implements Selection<Input, Space> {
  readonly fixed = undefined;
  readonly #options: CheckedOptions<Input>;
  readonly #limits: LimitsFunction<Input>;
  readonly #openSpace: (plan: Plan) => Space;
  readonly #isIdle: (space: Space) => boolean;
  /** In the order in which they were used last, as far as `#chosen` does not find them first. */
  readonly #spaces = new Map<string, Space>();
  /** One of them for each set of cells that is forgotten by itself. */
  readonly #toForget = new Map<string, Space>();
  #chosen = new ListCache<Limit, ChosenLimits<Space>>();
  /** The limits of the last call. */
  #last: ChosenLimits<Space> | undefined;
  readonly #unlimited: ChosenLimits<Space> = new ChosenLimits([], this);
  releases = 0;
  #crowdedAt = MANY_SPACES;

  constructor(
    options: CheckedOptions<Input>,
    limits: LimitsFunction<Input>,
    open: (plan: Plan) => Space,
    isIdle: (space: Space) => boolean,
  ) {
    this.#options = options;
    this.#limits = limits;
    this.#openSpace = open;
    this.#isIdle = isIdle;
  }

  choose(input: Input, choice: Choice<Space>): void {
    const key = encodeKey(this.#options.key(input));
    const limits = this.#limits(input);
    choice.add(key, this.#chosenOf(limits), limits === "deny" ? this.#options.name : undefined);
  }

  chooseKey(given: Key, limits: readonly Limit[] | undefined, choice: Choice<Space>): void {
    const key = encodeKey(given);
    const chosen = limits === undefined ? new UnknownLimits(this) : new ChosenLimits(checkLimits(limits), this);
    choice.add(key, chosen, undefined);
  }

  listOf({ chosen }: Choice<Space>): SpaceList<Space> {
    return chosen[0]!.list();
  }

  spaces(): readonly Space[] {
    return [...new Map([...this.#spaces.values()].map((space) => [space.plan.id, space])).values()];
  }

  spacesToForget(): readonly Space[] {
    return [...this.#toForget.values()];
  }

  release(): void {
    for (const space of this.#spaces.values()) space.release();
  }

  maintain(): void {
    if (this.#spaces.size < this.#crowdedAt) return;
    for (const [identity, space] of this.#spaces) {
      if (this.#spaces.size <= KEPT_SPACES) break;
      if (!this.#isIdle(space)) continue;
      this.#spaces.delete(identity);
      space.release();
    }
    this.#toForget.clear();
    for (const space of this.#spaces.values()) this.#noteToForget(space);
    this.#chosen = new ListCache();
    this.#last = undefined;
    this.releases += 1;
    this.#crowdedAt = Math.max(MANY_SPACES, 2 * this.#spaces.size);
  }

  /** The spaces of limits, opened if necessary. */
  open(limits: readonly Limit[]): SpaceList<Space> {
    const spaces = limits.map((limit) => this.#spaceOf(limit));
    return new SpaceList(
      spaces,
      spaces.map(() => 0),
      "ignored",
    );
  }

  /** Most limits functions return the same few limits. */
  #chosenOf(limits: unknown): ChosenLimits<Space> {
    const last = this.#last;
    if (!Array.isArray(limits)) {
      checkChosenLimits(limits);
      return this.#unlimited;
    }
    if (last !== undefined && haveSameItems(limits, last.limits)) return last;
    // A copy, because another reading could differ from the one that is checked.
    const own: readonly Limit[] = Array.from(limits);
    let chosen = this.#chosen.get(own);
    if (chosen === undefined) {
      chosen = new ChosenLimits(checkChosenLimits(own), this);
      this.#chosen.set(own, chosen);
    }
    this.#last = chosen;
    return chosen;
  }

  #spaceOf(limit: Limit): Space {
    // Limits that differ in mode or `blockFor` share cells, but not a space, because the space knows both.
    const blocks = limit.blockFor === undefined ? "" : JSON.stringify(limit.blockFor);
    const identity = `${limit.mode}${blocks}\n${identityOf(limit)}`;
    const known = this.#spaces.get(identity);
    if (known !== undefined) this.#spaces.delete(identity);
    const { scope, name, onChange } = this.#options;
    const space = known ?? this.#openSpace(createPlan(scope, name, [limit], onChange));
    this.#spaces.set(identity, space);
    this.#noteToForget(space);
    return space;
  }

  #noteToForget(space: Space): void {
    const { id, limits } = space.plan;
    const names = space.forgetsRelatives === true ? limits.map((limit) => `\n${countsName(limit)}`) : [id];
    this.#toForget.set(names.join(), space);
  }
}

/** What chosen limits need of their selection. */
interface OpeningSelection<Space extends PlannedSpace> {
  /** Grows when spaces are released. */
  readonly releases: number;
  open(limits: readonly Limit[]): SpaceList<Space>;
  spaces(): readonly Space[];
  spacesToForget(): readonly Space[];
}

/** The spaces of a list of limits. */
class ChosenLimits<Space extends PlannedSpace> implements ChosenSpaces<Space> {
  readonly limits: readonly Limit[];
  readonly #selection: OpeningSelection<Space>;
  #list: SpaceList<Space> | undefined;
  /** The selection's count of releases when the list was made. */
  #releases = 0;

  constructor(limits: readonly Limit[], selection: OpeningSelection<Space>) {
    this.limits = limits;
    this.#selection = selection;
  }

  list(): SpaceList<Space> {
    const list = this.#list;
    return list !== undefined && this.#releases === this.#selection.releases ? list : this.#open();
  }

  #open(): SpaceList<Space> {
    const list = this.#selection.open(this.limits);
    this.#list = list;
    this.#releases = this.#selection.releases;
    return list;
  }

  everySpace(): readonly Space[] {
    // Opens the limits that apply now: the store may have the key under them, from another limiter of this name.
    this.list();
    return this.#selection.spaces();
  }

  spacesToForget(): readonly Space[] {
    this.list();
    return this.#selection.spacesToForget();
  }
}

/** The spaces of a key whose limits are not known. */
class UnknownLimits<Space extends PlannedSpace> implements ChosenSpaces<Space> {
  readonly lacksLimits = true;
  readonly #selection: OpeningSelection<Space>;

  constructor(selection: OpeningSelection<Space>) {
    this.#selection = selection;
  }

  list(): never {
    throw new TollgateError(
      "ERR_LIMITS",
      "byKey: expected the key's limits as the second argument, because a function chooses them, got none; " +
        "without them a key can be explained and reset",
    );
  }

  spacesToForget(): readonly Space[] {
    return this.#selection.spacesToForget();
  }

  everySpace(): readonly Space[] {
    return this.#selection.spaces();
  }
}
