import { Blocking } from "../../algorithms/blocking.ts";
import type { SyncBlocks } from "../../core/blocks.ts";
import { type Cost, checkCost, plainCostError, REQUESTS, readUnitsInto } from "../../core/cost.ts";
import type { Limit } from "../../core/limits/limit.ts";
import { blocksKeys, type Plan, unitsOf } from "../../core/plan.ts";
import { ListCache } from "./list-cache.ts";
import type { Owner } from "./owner.ts";
import { type PlaceUse, readPlacesInto } from "./place-costs.ts";
import type { Space } from "./space.ts";

const NO_BLOCKS = new Int32Array(1);

/** What happens to a cost in a unit that no limit counts: fixed limits refuse it, because it is likely misspelt. */
export type UnknownUnits = "refused" | "ignored";

/**
 * Where a call goes: the spaces in which it is counted, whose keys they have, and what follows from that. It knows no
 * key, so calls that go the same way share it.
 */
export class Route {
  readonly spaces: readonly Space[];
  /** The only space, if there is one. */
  readonly only: Space | undefined;
  /** For each space, the index of its key among those of the call. */
  readonly keyIndexes: readonly number[];
  /** The indexes of the keys that no space counts. */
  readonly uncounted: readonly number[];
  /** One for each key. */
  readonly owners: readonly Owner[];
  readonly plans: readonly Plan[];
  /** All limits, in the order of a report's entries: the list of the only plan, if there is one. */
  readonly limits: readonly Limit[];
  readonly units: ReadonlySet<string>;
  /** Whether a limit blocks keys that exhaust it. */
  readonly blocks: boolean;
  readonly takesPlaces: boolean;
  /** Whether no limit is in shadow mode. */
  readonly enforcesAll: boolean;
  /** Whether one space may decide a plain number alone: for one key, whose limits block no keys and count no places. */
  readonly isPlain: boolean;
  /** For spaces that may be released: finds the route again, with spaces that are open. */
  current: (() => Route) | undefined = undefined;
  readonly #unknownUnits: UnknownUnits;
  /** The unit of a plain number. */
  readonly #plainUnit: string | undefined;
  /** Not 0 while a key of the only owner's store may be blocked. */
  readonly #someBlocks: Int32Array;
  #blocking: Blocking | undefined;

  constructor(
    spaces: readonly Space[],
    keyIndexes: readonly number[],
    owners: readonly Owner[],
    unknownUnits: UnknownUnits,
  ) {
    this.spaces = spaces;
    this.only = spaces.length === 1 ? spaces[0] : undefined;
    this.keyIndexes = keyIndexes;
    this.owners = owners;
    this.uncounted = [...owners.keys()].filter((key) => !keyIndexes.includes(key));
    this.plans = spaces.map(({ plan }) => plan);
    const plan = this.only?.plan;
    this.limits = plan?.limits ?? Object.freeze(this.plans.flatMap(({ limits }) => limits));
    this.units = plan?.units ?? unitsOf(this.limits);
    this.blocks = blocksKeys(this);
    this.takesPlaces = this.plans.some(({ takesPlaces }) => takesPlaces);
    this.enforcesAll = this.limits.every(({ mode }) => mode === "enforce");
    this.#unknownUnits = unknownUnits;
    const [firstUnit = REQUESTS] = this.units;
    if (this.units.size < 2) this.#plainUnit = firstUnit;
    else if (unknownUnits === "ignored" || this.units.has(REQUESTS)) this.#plainUnit = REQUESTS;
    const isAlone = this.only !== undefined && owners.length === 1;
    this.isPlain = isAlone && this.countsNumbers && !(this.blocks || this.takesPlaces);
    const blocks = owners[0]?.blocks;
    this.#someBlocks = blocks !== undefined && "some" in blocks ? blocks.some : NO_BLOCKS;
  }

  /** Whether the space alone decides the next calls, and no watcher sees them. */
  isOpen(calls = 1): boolean {
    return this.isFree() && this.owners[0]!.watch.skips(calls);
  }

  /** Whether the space alone decides the next call: no key is blocked, and no call waits. */
  isFree(): boolean {
    if (!this.isPlain || this.#someBlocks[0] !== 0) return false;
    const { lines } = this.owners[0]!;
    return !lines.some || lines.barging;
  }

  /** Whether costs in units that no limit counts are refused. */
  get refusesOthers(): boolean {
    return this.#unknownUnits === "refused";
  }

  /** Whether a plain number is a cost under these limits. */
  get countsNumbers(): boolean {
    return this.#plainUnit !== undefined;
  }

  /** The blocks of the keys, over stores in this process. */
  get blocking(): Blocking {
    this.#blocking ??= new Blocking(this.owners.map(({ blocks }) => blocks as SyncBlocks | undefined));
    return this.#blocking;
  }

  /** Whether a call waits for some key of an owner. */
  get someWait(): boolean {
    for (let i = 0; i < this.owners.length; i += 1) if (this.owners[i]!.lines.some) return true;
    return false;
  }

  /** Whether a watcher watches the calls of an owner. */
  get isWatched(): boolean {
    for (let i = 0; i < this.owners.length; i += 1) if (this.owners[i]!.watch.seesCalls) return true;
    return false;
  }

  /** The index of the space to which an entry of a report belongs. */
  spaceIndexOf(entry: number): number {
    let index = 0;
    for (let end = this.plans[0]!.limits.length; entry >= end; end += this.plans[index]!.limits.length) index += 1;
    return index;
  }

  /** The index of the key to which an entry of a report belongs. */
  keyIndexOf(entry: number): number {
    return this.keyIndexes[this.spaceIndexOf(entry)]!;
  }

  /** The route of some keys of a call. */
  partOf(keys: ReadonlySet<number>): Route {
    const at = this.keyIndexes.map((key, i) => ({ key, i })).filter(({ key }) => keys.has(key));
    const kept = [...keys];
    return new Route(
      at.map(({ i }) => this.spaces[i]!),
      at.map(({ key }) => kept.indexOf(key)),
      kept.map((key) => this.owners[key]!),
      "ignored",
    );
  }

  /** Writes the cost under each limit into `out`. @throws TollgateError `ERR_COST`. */
  readCosts(cost: Cost, out: number[], places: PlaceUse = "taken"): void {
    const { limits, units } = this;
    if (typeof cost !== "number") readUnitsInto(out, cost, limits, units, this.#unknownUnits);
    else {
      this.checkPlain(cost);
      if (out.length > limits.length) out.length = limits.length;
      for (let i = 0; i < limits.length; i += 1) out[i] = limits[i]!.unit === this.#plainUnit ? cost : 0;
    }
    if (this.takesPlaces) readPlacesInto(out, cost, limits, places);
  }

  /** The cost that these counts are, for observers: a plain number if there is one unit. */
  costOf(counts: readonly number[]): Cost {
    const byUnit = new Map(this.limits.map(({ unit }, i) => [unit, counts[i]!]));
    const [first] = this.units;
    return this.units.size === 1 && first !== undefined ? (byUnit.get(first) ?? 0) : Object.fromEntries(byUnit);
  }

  /** @throws TollgateError `ERR_COST` unless a plain cost is right for these limits. */
  checkPlain(cost: number): void {
    checkCost(cost);
    if (this.#plainUnit === undefined) throw plainCostError(cost, this.units);
  }

  /** Whether a cost says how many units of a limit a call takes. A plain number says it for one unit. */
  names(cost: Cost, { unit }: Limit): boolean {
    return typeof cost === "number" ? unit === this.#plainUnit : Object.hasOwn(cost, unit);
  }
}

/** The way of a call that no limit counts. */
export const NO_ROUTE: Route = new Route([], [], [], "ignored");

/** Joins the routes of several keys into one. Calls repeat, so it keeps what it has joined. */
export class RouteJoiner {
  readonly #joined = new ListCache<Route, Route>();

  of(routes: readonly Route[]): Route {
    const known = this.#joined.get(routes);
    if (known !== undefined) return known;
    const joined = join(routes);
    this.#joined.set(routes, joined);
    return joined;
  }
}

function join(routes: readonly Route[]): Route {
  if (routes.length === 0) return NO_ROUTE;
  const keyIndexes = routes.flatMap(({ spaces }, index) => spaces.map(() => index));
  return new Route(
    routes.flatMap(({ spaces }) => spaces),
    keyIndexes,
    routes.flatMap(({ owners }) => owners),
    "ignored",
  );
}
