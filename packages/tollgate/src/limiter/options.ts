import { checkFunction, checkName } from "../core/checks.ts";
import { type Clock, systemClock } from "../core/clock.ts";
import { show, TollgateError } from "../core/errors.ts";
import type { Limit } from "../core/limits/limit.ts";
import { isSealed } from "../core/limits/limit-common.ts";
import type { Observer } from "../core/observer.ts";
import type { Scope } from "../core/plan.ts";

/** Limits chosen for each call; nothing, or an empty list, means that no limit applies to it. */
export type LimitsFunction<Input> = (input: Input) => readonly Limit[] | undefined;

/** The options of a limiter, without its key function and its store. */
export interface LimiterOptions<Input> {
  /**
   * Printable ASCII. Limiters of the same name and the same limits on one store share their keys. Without a name a
   * limiter keeps its keys to itself; stores outside this process need one.
   */
  readonly name?: string;
  /** One list for all calls, decided in one look-up, or a function that chooses per call. */
  readonly limits: readonly Limit[] | LimitsFunction<Input>;
  /** The store's own by default, if it has one, or else the `systemClock`. */
  readonly clock?: Clock;
  /** Called with decisions, sweeps and degradations. */
  readonly observe?: Observer;
}

/** The checked options with their defaults. Options without a default may be `undefined`. */
export interface CheckedOptions<Input> {
  readonly name: string;
  readonly scope: Scope;
  readonly key: (input: Input) => string;
  /** Whether the limiter has a key function. Without one the input is the key. */
  readonly keyed: boolean;
  readonly limits: readonly Limit[] | LimitsFunction<Input>;
  readonly clock: Clock;
  readonly observe: Observer | undefined;
}

const DEFAULT_NAME = "limiter";

/** @throws TollgateError `ERR_OPTION`, `ERR_NAME` or `ERR_LIMITS`. */
export function checkLimiterOptions<Input>(
  options: LimiterOptions<Input> & { readonly key?: (input: Input) => string },
  storeClock: Clock | undefined,
): CheckedOptions<Input> {
  if (typeof options !== "object" || options === null) {
    throw new TollgateError("ERR_OPTION", `createLimiter: expected an object of options, got ${show(options)}`);
  }
  const { name, key, limits, clock, observe } = options;
  if (key !== undefined) checkFunction("key", key, "a function from the input to a string");
  if (observe !== undefined) checkFunction("observe", observe, "a function that is given observations");
  if (clock !== undefined) checkFunction("clock.now", clock?.now, "a function that returns milliseconds");
  const checkedName = name === undefined ? DEFAULT_NAME : checkName("name", name);
  return {
    name: checkedName,
    scope: name === undefined ? Symbol(DEFAULT_NAME) : checkedName,
    key: key ?? itself,
    keyed: key !== undefined,
    limits: typeof limits === "function" ? limits : checkLimits(limits, "at least one limit"),
    clock: clock ?? storeClock ?? systemClock,
    observe,
  };
}

/** @throws TollgateError `ERR_LIMITS` when it is no list of limits that the factories made. */
export function checkLimits(
  limits: unknown,
  expected: "any number of limits" | "at least one limit",
): readonly Limit[] {
  const isEmpty = Array.isArray(limits) && limits.length === 0;
  if (!Array.isArray(limits) || (isEmpty && expected === "at least one limit")) {
    throw new TollgateError(
      "ERR_LIMITS",
      `limits: expected a list of ${expected}, got ${isEmpty ? "none" : show(limits)}`,
    );
  }
  return Array.from(limits, (limit: unknown) => {
    if (isLimit(limit)) return limit;
    throw new TollgateError(
      "ERR_LIMITS",
      `limits: expected limits made by tokenBucket, perSecond, slidingWindow, fixedWindow …, got ${show(limit)}`,
    );
  });
}

/** Without a key function the input is the key; `checkKey` makes sure that it is a string. */
function itself<Input>(input: Input): string {
  return input as string;
}

function isLimit(value: unknown): value is Limit {
  return isSealed(value);
}
