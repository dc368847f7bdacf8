import { REQUESTS } from "../cost.ts";
import { show, TollgateError } from "../errors.ts";
import { checkName } from "../name.ts";
import type { Limit, LimitMode } from "./limit.ts";

/** What every kind of limit takes. */
export interface LimitOptions {
  /** Derived from the numbers by default, so that different limits differ in name. */
  readonly name?: string;
  /** What it counts: `"requests"` by default. */
  readonly unit?: string;
  /** `"shadow"`: count and report, never deny. `"enforce"` by default. */
  readonly mode?: LimitMode;
}

/** @throws TollgateError `ERR_LIMIT` when a factory is called without its options. */
export function checkFactoryOptions(factory: string, options: unknown): void {
  if (typeof options === "object" && options !== null) return;
  throw new TollgateError("ERR_LIMIT", `${factory}: expected an object of options, got ${show(options)}`);
}

/** @throws TollgateError `ERR_LIMIT` when a count is not a positive integer below 2^53. */
export function checkCount(option: string, count: unknown): number {
  if (typeof count === "number" && Number.isSafeInteger(count) && count > 0) return count;
  throw new TollgateError("ERR_LIMIT", `${option}: expected a positive integer, got ${show(count)}`);
}

/** @throws TollgateError `ERR_LIMIT` when the value is none of the choices. */
export function checkChoice<C extends string>(option: string, value: unknown, choices: readonly C[]): C {
  const found = choices.find((choice) => choice === value);
  if (found !== undefined) return found;
  const expected = choices.map((choice) => JSON.stringify(choice)).join(" or ");
  throw new TollgateError("ERR_LIMIT", `${option}: expected ${expected}, got ${show(value)}`);
}

/** Units stand in default names, which then fit a name's length. */
const LONGEST_UNIT = 32;

/** The parts that every limit has; `numbers` is its algorithm's default name. */
export function commonParts(options: LimitOptions, numbers: string): Pick<Limit, "name" | "unit" | "mode"> {
  const unit = options.unit === undefined ? REQUESTS : checkName("unit", options.unit, LONGEST_UNIT);
  const ownName = unit === REQUESTS ? numbers : `${unit}-${numbers}`;
  return {
    name: options.name === undefined ? ownName : checkName("limit name", options.name),
    unit,
    mode: checkChoice<LimitMode>("mode", options.mode ?? "enforce", ["enforce", "shadow"]),
  };
}

/**
 * What decides, and nothing else: the algorithm, its numbers and its unit. Not the name, which identifies the
 * limit beside this, and not the mode, so that a limit can go from shadow to enforcing without losing its counts.
 */
export function fingerprintOf(algorithm: string, numbers: readonly (number | string)[], unit: string): string {
  return [algorithm, ...numbers, unit].join(":");
}
