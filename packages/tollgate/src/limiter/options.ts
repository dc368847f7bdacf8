import { checkOnFailure } from "../core/check-on-failure.ts";
import { checkChoice, optionError } from "../core/check-options.ts";
import { checkFunction, checkName } from "../core/checks.ts";
import { type Clock, systemClock } from "../core/clock.ts";
import { TollgateError } from "../core/errors.ts";
import type { Key } from "../core/key.ts";
import { keyMakerExample } from "../core/key-maker.ts";
import type { Limit } from "../core/limits/limit.ts";
import type { Observer } from "../core/observer.ts";
import type { OnChange, Scope } from "../core/plan.ts";
import type { OnFailure } from "../core/store.ts";
import { type ChosenLimits, checkLimits, type LimitsFunction } from "./choosing/limits-choice.ts";

/** The options of a limiter, without its key function and its store. */
export interface LimiterOptions<Input, Chosen extends ChosenLimits | PromiseLike<ChosenLimits> = ChosenLimits> {
  /**
   * Printable ASCII. Limiters of the same name and the same limits on one store share their keys. Without a name a
   * limiter keeps its keys to itself; stores outside this process need one.
   */
  readonly name?: string;
  /** One list for all calls, decided in one look-up, or a function that chooses per call. */
  readonly limits: readonly Limit[] | LimitsFunction<Input, Chosen>;
  /**
   * What a call finds of a key that was counted under other numbers of a limit of the same name.
   *
   * - `"carry-over"`: what the key has used. The default if a limit of the list was given a name.
   * - `"keep-first"`: the first numbers, until the key is idle and forgotten, or `reset`.
   * - `"separate"`: new counts. The default for other lists.
   */
  readonly onChange?: OnChange;
  /** How many calls may `wait` for one key: a positive integer, 1,000 by default. Ten times as many for all keys. */
  readonly maxWaiting?: number;
  /** With `true`, `allow` and `consume` may overtake calls that wait. Without it they are denied while others wait. */
  readonly barging?: boolean;
  /** The store's own by default, if it has one, or else the `systemClock`. */
  readonly clock?: Clock;
  /**
   * How calls are decided while a store elsewhere is unavailable, in place of the store's own `onFailure`. Stores of
   * this process are always available.
   */
  readonly onFailure?: OnFailure;
  /** Called with decisions, degradations, changes and blocks. */
  readonly observe?: Observer;
}

/** The checked options with their defaults. Options without a default may be `undefined`. */
export interface CheckedOptions<Input> {
  readonly name: string;
  readonly scope: Scope;
  readonly key: (input: Input) => Key;
  /** Whether the limiter has a key function. Without one the input is the key. */
  readonly keyed: boolean;
  readonly limits: readonly Limit[] | LimitsFunction<Input>;
  readonly onChange: OnChange | undefined;
  readonly maxWaiting: number;
  readonly barging: boolean;
  readonly clock: Clock;
  readonly onFailure: OnFailure | undefined;
  readonly observe: Observer | undefined;
}

const ON_CHANGE: readonly OnChange[] = ["carry-over", "keep-first", "separate"];
const DEFAULT_NAME = "limiter";
const DEFAULT_MAX_WAITING = 1_000;

/** @throws TollgateError `ERR_OPTION`, `ERR_NAME` or `ERR_LIMITS`. */
export function checkLimiterOptions<Input>(
  options: LimiterOptions<Input> & { readonly key?: (input: Input) => Key },
  storeClock: Clock | undefined,
): CheckedOptions<Input> {
  const {
    name,
    key,
    limits,
    onChange,
    maxWaiting = DEFAULT_MAX_WAITING,
    barging = false,
    clock,
    observe,
    onFailure,
  } = options;
  if (key !== undefined) checkKeyFunction(key);
  if (observe !== undefined) checkFunction("observe", observe, "a function that is given observations");
  if (clock !== undefined) checkFunction("clock.now", clock?.now, "a function that returns milliseconds");
  checkChoice("onChange", onChange, ON_CHANGE);
  checkChoice("barging", barging, [true, false]);
  if (!(Number.isSafeInteger(maxWaiting) && maxWaiting > 0)) {
    throw optionError("maxWaiting", "a positive integer", maxWaiting);
  }
  const checkedName = name === undefined ? DEFAULT_NAME : checkName("name", name);
  return {
    name: checkedName,
    scope: name === undefined ? Symbol(DEFAULT_NAME) : checkedName,
    key: key ?? itself,
    keyed: key !== undefined,
    limits: typeof limits === "function" ? limits : checkLimits(limits),
    onChange,
    maxWaiting,
    barging,
    clock: clock ?? storeClock ?? systemClock,
    onFailure: onFailure === undefined ? undefined : checkOnFailure(onFailure),
    observe,
  };
}

function checkKeyFunction(key: unknown): void {
  checkFunction("key", key, "a function from the input to a key");
  const example = keyMakerExample(key as object);
  if (example === undefined) return;
  const name = example.slice(0, example.indexOf("("));
  throw new TollgateError("ERR_OPTION", `key: ${name} is a function that makes key functions; call it: ${example}`);
}

/** Without a key function the input is the key; `encodeKey` makes sure that it is one. */
function itself<Input>(input: Input): Key {
  return input as Key;
}
