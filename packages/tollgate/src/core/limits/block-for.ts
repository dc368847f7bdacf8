import { checkOptions, type OptionNames } from "../check-options.ts";
import { type Duration, toMicroseconds, toMilliseconds } from "../duration.ts";
import { show, TollgateError } from "../errors.ts";

/**
 * How long a limit blocks a key that exhausts it. With `extend`, each denied call begins the duration anew. Of several
 * `durations`, each offence takes the next one, until `forgetAfter` has passed since the end of the last block.
 */
export type BlockFor =
  | Duration
  | { readonly duration: Duration; readonly extend?: boolean }
  | { readonly durations: readonly Duration[]; readonly forgetAfter: Duration };

/** A checked `blockFor`. */
export interface BlockPolicy {
  /** At least one. The last one stands for all later offences. */
  readonly durationsMs: readonly number[];
  /** How long after the end of a block its offence counts; 0 if there is one duration. */
  readonly forgetAfterMs: number;
  /** Whether a denied call begins the duration anew. */
  readonly extend: boolean;
}

const DURATION_NAMES: OptionNames = { duration: true, extend: true };
const DURATIONS_NAMES: OptionNames = { durations: true, forgetAfter: true };

/** @throws TollgateError `ERR_LIMIT`, `ERR_OPTION` or `ERR_DURATION`, saying what was expected. */
export function checkBlockFor(option: unknown, mode: "enforce" | "shadow"): BlockPolicy {
  if (mode === "shadow") {
    throw new TollgateError(
      "ERR_LIMIT",
      `blockFor: expected mode: "enforce", because a shadow limit denies nothing, got "shadow"`,
    );
  }
  if (typeof option !== "object" || option === null) return blockFor([durationMs("blockFor", option)], 0, false);
  if ("durations" in option) return checkDurations(option as { durations: unknown; forgetAfter: unknown });
  checkOptions("blockFor", option, DURATION_NAMES);
  const { duration, extend = false } = option as { duration: unknown; extend?: unknown };
  if (typeof extend !== "boolean") {
    throw new TollgateError("ERR_OPTION", `blockFor.extend: expected true or false, got ${show(extend)}`);
  }
  return blockFor([durationMs("blockFor.duration", duration)], 0, extend);
}

function checkDurations(option: { durations: unknown; forgetAfter: unknown }): BlockPolicy {
  checkOptions("blockFor", option, DURATIONS_NAMES);
  const { durations, forgetAfter } = option;
  if (!Array.isArray(durations) || durations.length === 0 || durations.length > MOST_DURATIONS) {
    const got = Array.isArray(durations) ? String(durations.length) : show(durations);
    throw new TollgateError(
      "ERR_OPTION",
      `blockFor.durations: expected a list of 1 to ${MOST_DURATIONS} durations, got ${got}`,
    );
  }
  const durationsMs = Array.from(durations, (duration, i) => durationMs(`blockFor.durations[${i}]`, duration));
  return blockFor(durationsMs, durationMs("blockFor.forgetAfter", forgetAfter), false);
}

/** Every call of a limiter in Redis carries them. */
const MOST_DURATIONS = 16;

function durationMs(option: string, duration: unknown): number {
  return toMilliseconds(toMicroseconds(option, duration as Duration));
}

function blockFor(durationsMs: readonly number[], forgetAfterMs: number, extend: boolean): BlockPolicy {
  return Object.freeze({ durationsMs: Object.freeze(durationsMs), forgetAfterMs, extend });
}
