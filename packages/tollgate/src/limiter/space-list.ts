import { type Cost, checkCost, REQUESTS, readCosts, readUnitsInto } from "../core/cost.ts";
import type { Limit } from "../core/limits/limit.ts";
import { blocksKeys, type Plan, unitsOf } from "../core/plan.ts";
import type { Call } from "../core/store.ts";
import { type PlaceUse, readPlacesInto } from "./place-costs.ts";

/** What selections need of a space, synchronous or not. */
export interface PlannedSpace {
  readonly plan: Plan;
  /** Set if it forgets what counts under other numbers of its limits as well. */
  readonly forgetsRelatives?: boolean;
  watchSweeps?(): void;
  release(): void;
}

/** Where a call is counted: one key in one space. */
export type CountedKey<Space> = Omit<Call<Space>, "costs">;

/** The spaces of a call, in their order, and what follows from them. Calls repeat, so selections keep such lists. */
export class SpaceList<Space extends PlannedSpace> {
  readonly spaces: readonly Space[];
  /** The only space, if there is one. */
  readonly only: Space | undefined;
  /** For each space, the index of its key among those of the call. */
  readonly keyIndexes: readonly number[];
  readonly plans: readonly Plan[];
  /** All limits, in the order of a report's entries: the list of the only plan, if there is one. */
  readonly limits: readonly Limit[];
  /** The only limit, if there is one and it enforces. */
  readonly onlyLimit: Limit | undefined;
  readonly units: ReadonlySet<string>;
  /** Whether a limit blocks keys that exhaust it. */
  readonly blocks: boolean;
  /** Whether a limit counts places. */
  readonly takesPlaces: boolean;
  readonly #unknownUnits: "refused" | "ignored";
  /** The unit of a plain number, which is a cost in the only unit or in requests. */
  readonly #plainUnit: string | undefined;

  constructor(spaces: readonly Space[], keyIndexes: readonly number[], unknownUnits: "refused" | "ignored") {
    this.spaces = spaces;
    this.only = spaces.length === 1 ? spaces[0] : undefined;
    this.keyIndexes = keyIndexes;
    this.plans = spaces.map(({ plan }) => plan);
    const plan = this.only?.plan;
    this.limits = plan?.limits ?? Object.freeze(this.plans.flatMap(({ limits }) => limits));
    this.onlyLimit = this.limits.length === 1 && this.limits[0]!.mode === "enforce" ? this.limits[0] : undefined;
    this.units = plan?.units ?? unitsOf(this.limits);
    this.blocks = blocksKeys(this);
    this.takesPlaces = this.plans.some(({ takesPlaces }) => takesPlaces);
    this.#unknownUnits = unknownUnits;
    const [firstUnit = REQUESTS] = this.units;
    if (this.units.size < 2) this.#plainUnit = firstUnit;
    else if (unknownUnits === "ignored" || this.units.has(REQUESTS)) this.#plainUnit = REQUESTS;
  }

  /** Where a call with these keys is counted. */
  countedKeys(keys: readonly string[]): CountedKey<Space>[] {
    return this.spaces.map((space, i) => ({ space, key: keys[this.keyIndexes[i]!]! }));
  }

  /**
   * Writes the cost of each limit of a call into `out`.
   *
   * @throws TollgateError `ERR_COST`.
   */
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

  /** @throws TollgateError `ERR_COST` unless a plain cost is right for these limits. */
  checkPlain(cost: number): void {
    // Throws, and says which units the limits count.
    if (this.#plainUnit === undefined) readCosts(cost, this.units, this.#unknownUnits);
    checkCost(cost);
  }
}
