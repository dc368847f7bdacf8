import { REQUESTS } from "./cost.ts";
import { show, TollgateError } from "./errors.ts";
import type { Limit } from "./limits/limit.ts";
import { hasChosenName } from "./limits/limit-common.ts";
import { countsPlaces } from "./limits/places.ts";

/** The owner of keys: a limiter's name, or a symbol of its own for a limiter without a name. */
export type Scope = string | symbol;

/**
 * What a call finds of a key that was counted under other numbers of a limit of the same name: what the key has used,
 * the first numbers, or a new bucket.
 */
export type OnChange = "carry-over" | "keep-first" | "separate";

/**
 * A list of limits that are asked together, and the identity of their cells. Plans of the same scope and limits share
 * their cells, in any order and mode. So reordering limits, or enforcing a shadow limit, loses no count.
 */
export interface Plan {
  readonly scope: Scope;
  /** The limiter's name as decisions show it. */
  readonly limiter: string;
  readonly onChange: OnChange;
  /** At least one, in the given order. */
  readonly limits: readonly Limit[];
  /** Names and fingerprints of the limits: within its scope, the identity of the cells. */
  readonly id: string;
  /** Indexes into `limits`, in the order of their cells. */
  readonly cellOrder: readonly number[];
  readonly units: ReadonlySet<string>;
  /** Whether a limit counts places: then only a reservation takes. */
  readonly takesPlaces: boolean;
  /** For each limit, whether a plain number as the cost counts against it. */
  readonly countsNumber: readonly boolean[];
  readonly enforces: readonly boolean[];
}

/** No name and no fingerprint contains it. */
const SEPARATOR = "\n";

/**
 * Without `onChange`, a plan carries over if the user chose the name of a limit. Names that are derived from numbers
 * change with these.
 *
 * @throws TollgateError `ERR_LIMITS` when two limits have the same name.
 * @example
 * ```ts
 * import { perHour, perSecond } from "tollgate";
 * import { createPlan } from "tollgate/store";
 *
 * const plan = createPlan("api", "api", [perSecond(5), perHour(100)]);
 * const reordered = createPlan("api", "api", [perHour(100), perSecond(5)]);
 * console.log(plan.id === reordered.id, plan.onChange); // true separate
 * console.log(createPlan("api", "api", [perHour(100, { name: "hour" })]).onChange); // carry-over
 * ```
 */
export function createPlan(scope: Scope, limiter: string, limits: readonly Limit[], onChange?: OnChange): Plan {
  checkNames(limits);
  const identities = limits.map(identityOf);
  const cellOrder = identities.map((_, index) => index).sort((a, b) => compare(identities[a], identities[b]));
  const units = unitsOf(limits);
  return Object.freeze({
    scope,
    limiter,
    onChange: onChange ?? (limits.some(hasChosenName) ? "carry-over" : "separate"),
    limits: Object.freeze([...limits]),
    id: cellOrder.map((index) => identities[index]).join(SEPARATOR),
    cellOrder: Object.freeze(cellOrder),
    units,
    takesPlaces: limits.some(countsPlaces),
    countsNumber: limits.map(({ unit }) => (units.size === 1 ? units.has(unit) : unit === REQUESTS)),
    enforces: limits.map((limit) => limit.mode === "enforce"),
  });
}

/** Whether a limit blocks keys that exhaust it. */
export function blocksKeys({ limits }: Pick<Plan, "limits">): boolean {
  return limits.some(({ blockFor }) => blockFor !== undefined);
}

/** The units of costs. Places are a unit of their own only if nothing else is counted: a reservation takes one. */
export function unitsOf(limits: readonly Limit[]): ReadonlySet<string> {
  const counted = limits.filter((limit) => !countsPlaces(limit));
  return new Set((counted.length === 0 ? limits : counted).map(({ unit }) => unit));
}

/**
 * Identifies a limit's counts within a scope: limits with the same text count together. Counts belong to a limit's
 * name, unit, algorithm and window. Its other numbers may change under the counts.
 */
export function countsName(limit: Limit): string {
  const window = "windowMs" in limit ? limit.windowMs : "timeZone" in limit ? `${limit.window} ${limit.timeZone}` : "";
  return [limit.unit, limit.name, limit.algorithm, window].join(SEPARATOR);
}

/** Identifies a limit's counts in a plan within a scope: each list of limits that counts separately has its own. */
export function countsNameIn({ id, onChange }: Pick<Plan, "id" | "onChange">, limit: Limit): string {
  return onChange === "separate" ? `${countsName(limit)}\n${id}` : countsName(limit);
}

/** Whether two limits count together, whatever their other numbers are. */
export function isSameLimit(one: Limit, other: Limit): boolean {
  return one.name === other.name && countsName(one) === countsName(other);
}

/** The identity of a limit's cells among those of its limiter. */
export function identityOf(limit: Limit): string {
  return `${limit.name}${SEPARATOR}${limit.fingerprint}`;
}

/** @throws TollgateError `ERR_LIMITS` when two limits have the same name. */
export function checkNames(limits: readonly Limit[]): void {
  const names = new Set<string>();
  for (const { name } of limits) {
    if (names.has(name)) {
      throw new TollgateError(
        "ERR_LIMITS",
        `limits: expected names that differ, got ${show(name)} twice; name one of them with { name }`,
      );
    }
    names.add(name);
  }
}

function compare(a: string | undefined, b: string | undefined): number {
  return (a ?? "") < (b ?? "") ? -1 : 1;
}
