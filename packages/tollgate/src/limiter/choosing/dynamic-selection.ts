import { TollgateError } from "../../core/errors.ts";
import { encodeKey, type Key } from "../../core/key.ts";
import type { Limit } from "../../core/limits/limit.ts";
import { isAlike } from "../../core/limits/limit-common.ts";
import { createPlan, identityOf, type Plan } from "../../core/plan.ts";
import { keepWhole } from "../../core/text-memory.ts";
import type { CheckedOptions } from "../options.ts";
import { checkChosenLimits, checkLimits, isLimit, type LimitsFunction } from "./limits-choice.ts";
import { ListCache, MOST_LISTS } from "./list-cache.ts";
import type { Owner } from "./owner.ts";
import { Route } from "./route.ts";
import type { Selected } from "./selected.ts";
import type { FixedSelection, Selection } from "./selection.ts";
import type { Space } from "./space.ts";

/** With so many spaces, idle ones are released. */
const MANY_SPACES = 1_000;
/** So many lists of equal numbers are found by their limits. A function that makes limits anew makes no end of them. */
const KNOWN_LISTS = 8;
/** The spaces that are kept, idle or not, so that `byKey` finds a key under the limits of the last calls. */
const KEPT_SPACES = 500;

/** How a limiter opens the spaces of limits that are chosen per call. */
export interface ChosenSpaces {
  open(plan: Plan): Space;
  /** Whether a space can be released, because its keys are kept without it, or it has none. */
  isIdle(space: Space): boolean;
}

/** Limits chosen per call. Each limit is a plan of its own, so a limit of two lists has one bucket. */
export class DynamicSelection<Input> implements Selection<Input> {
  readonly fixed: FixedSelection<Input> | undefined = undefined;
  readonly owners: readonly Owner[];
  readonly #options: CheckedOptions<Input>;
  readonly #limits: LimitsFunction<Input>;
  readonly #opening: ChosenSpaces;
  /** By what a space enforces and counts. Those that were opened last come last. */
  readonly #spaces = new Map<string, Space>();
  readonly #released = new WeakSet<Space>();
  #crowdedAt = MANY_SPACES;
  /** The routes of lists of the same limits, and of limits with equal numbers. */
  readonly #routes = new ListCache<Limit, Route>(KNOWN_LISTS * MOST_LISTS);
  readonly #routesByText = new Map<string, FoundRoute>();
  /** What was found last by its numbers: comparing is quicker than finding it again. */
  #last: { readonly limits: readonly Limit[]; readonly route: Route } | undefined = undefined;
  /** The way of a key that has no limits: its calls may be blocked. */
  readonly #unlimited: Route;

  constructor(options: CheckedOptions<Input>, limits: LimitsFunction<Input>, owner: Owner, opening: ChosenSpaces) {
    this.#options = options;
    this.#limits = limits;
    this.#opening = opening;
    this.owners = [owner];
    this.#unlimited = new Route([], [], this.owners, "ignored");
  }

  select(input: Input, into: Selected): void {
    const key = encodeKey(this.#options.key(input));
    const limits = this.#limits(input);
    into.add(key, this.#routeOf(limits), limits === "deny" ? this.#options.name : undefined);
  }

  selectKey(given: Key, limits: readonly Limit[] | undefined, into: Selected): void {
    const key = encodeKey(given);
    if (limits !== undefined) {
      into.add(key, this.#routeOf(checkLimits(limits)), undefined);
      return;
    }
    into.add(key, this.#knownRoute(), undefined);
    into.lacksLimits = refuseWithoutLimits;
  }

  /** The way of a key under all limits that the function has chosen so far. */
  #knownRoute(): Route {
    const spaces = this.spaces();
    const route = new Route(
      spaces,
      spaces.map(() => 0),
      this.owners,
      "ignored",
    );
    route.current = () => this.#knownRoute();
    return route;
  }

  spaces(): readonly Space[] {
    return [...new Map([...this.#spaces.values()].map((space) => [space.plan.id, space])).values()];
  }

  release(): void {
    for (const space of this.#spaces.values()) space.release();
  }

  /** Most limits functions return the same few limits. */
  #routeOf(limits: unknown): Route {
    if (!Array.isArray(limits)) {
      checkChosenLimits(limits);
      return this.#unlimited;
    }
    const known = this.#routes.get(limits);
    if (known !== undefined) return known;
    // A copy, because another reading could differ from the one that is checked.
    const own = [...(limits as readonly unknown[])];
    if (this.#last === undefined || !areAlike(own, this.#last.limits)) {
      const checked = checkChosenLimits(own);
      this.#last = { limits: checked, route: this.#find(checked) };
    }
    return this.#last.route;
  }

  /** Limits that a function makes anew for each call are found by their numbers. */
  #find(own: readonly Limit[]): Route {
    const texts = own.map(textOf);
    const text = texts.join("\n\n");
    let found = this.#routesByText.get(text);
    if (found === undefined) {
      if (this.#routesByText.size >= MOST_LISTS) this.#forgetRoutes();
      const route = this.#open(own, texts);
      found = { route, lists: 0 };
      this.#routesByText.set(text, found);
    }
    if (found.lists < KNOWN_LISTS) {
      found.lists += 1;
      this.#routes.set(own, found.route);
    }
    return found.route;
  }

  #open(limits: readonly Limit[], texts: readonly string[]): Route {
    if (this.#spaces.size >= this.#crowdedAt) this.#releaseIdle();
    const spaces = limits.map((limit, i) => this.#spaceOf(limit, texts[i]!));
    const keyIndexes = spaces.map(() => 0);
    const route = new Route(spaces, keyIndexes, this.owners, "ignored");
    // Handles and calls in flight keep the route.
    route.current = () => (spaces.some((space) => this.#released.has(space)) ? this.#routeOf(limits) : route);
    return route;
  }

  #spaceOf(limit: Limit, text: string): Space {
    const space = this.#spaces.get(text) ?? this.#openFor(limit);
    // Again at the end: it was opened last.
    this.#spaces.delete(text);
    this.#spaces.set(text, space);
    return space;
  }

  #openFor(limit: Limit): Space {
    const { scope, name, onChange } = this.#options;
    // Stores keep thousands of these.
    keepWhole(limit.name);
    keepWhole(limit.fingerprint);
    return this.#opening.open(createPlan(scope, name, [limit], onChange));
  }

  #releaseIdle(): void {
    for (const [text, space] of this.#spaces) {
      if (this.#spaces.size <= KEPT_SPACES) break;
      if (!this.#opening.isIdle(space)) continue;
      this.#spaces.delete(text);
      this.#released.add(space);
      space.release();
    }
    this.#forgetRoutes();
    this.#crowdedAt = Math.max(MANY_SPACES, 2 * this.#spaces.size);
  }

  #forgetRoutes(): void {
    this.#routes.clear();
    this.#routesByText.clear();
    this.#last = undefined;
  }
}

/** A route, and how many lists of the same limits lead to it. */
interface FoundRoute {
  readonly route: Route;
  lists: number;
}

/** What a limit enforces and counts. Limits that differ in mode or `blockFor` share cells, but no space. */
function textOf(limit: Limit): string {
  const blocks = limit.blockFor === undefined ? "" : JSON.stringify(limit.blockFor);
  return `${limit.mode}${blocks}\n${identityOf(limit)}`;
}

/** Whether a list has limits that enforce and count the same as known ones. */
function areAlike(list: readonly unknown[], known: readonly Limit[]): boolean {
  if (list.length !== known.length) return false;
  for (let i = 0; i < known.length; i += 1) {
    const limit = list[i];
    if (!(isLimit(limit) && isAlike(limit, known[i]!))) return false;
  }
  return true;
}

function refuseWithoutLimits(verb?: "reset"): never {
  const hint =
    verb === undefined
      ? "without them a key can be explained and reset"
      : "this limiter has met no limits under which the key counts, so it cannot reset it";
  throw new TollgateError(
    "ERR_LIMITS",
    `byKey: expected the key's limits as the second argument, because a function chooses them, got none; ${hint}`,
  );
}
