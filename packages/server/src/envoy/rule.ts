import { type FixedWindowLimit, fixedWindow } from "tollgate";
import type { CurrentLimit } from "./messages.ts";
import { UNITS, type Unit } from "./units.ts";

/** A `rate_limit` of a configuration, or the override that a request brings. */
export interface Rule {
  /** Where it stands, as `domain.key_value.key`, with hashes of values that may be secrets of clients. */
  readonly path: string;
  readonly requestsPerUnit: number;
  /** `undefined` without a limit. */
  readonly unit: Unit | undefined;
  readonly unlimited: boolean;
  /** Empty without a name. */
  readonly name: string;
  /** The names of the rules that do not count where this one matches. */
  readonly replaces: readonly string[];
  /** Counts, and lets everything pass. */
  readonly shadow: boolean;
  /** A request is over its quotas when all of them are. */
  readonly quota: boolean;
  readonly metadata: Readonly<Record<string, unknown>> | undefined;
  /** The same list each time, or nothing to count: without a limit, or with one of 0. */
  readonly limits: readonly FixedWindowLimit[] | undefined;
  /** What responses say of it. `undefined` without a limit. */
  readonly window: RuleWindow | undefined;
}

export interface RuleWindow {
  readonly currentLimit: CurrentLimit;
  readonly lengthMs: number;
}

export type RuleOptions = Partial<Omit<Rule, "limits" | "window">>;

/** Makes a rule. Its limit is named by its unit, so a change of its number keeps the counts of the window. */
export function makeRule(options: RuleOptions): Rule {
  const { unit, requestsPerUnit = 0, unlimited = false, name = "" } = options;
  const counts = unit !== undefined && !unlimited && requestsPerUnit > 0;
  let limits: Rule["limits"];
  return {
    path: "",
    requestsPerUnit,
    unit,
    unlimited,
    name,
    replaces: [],
    shadow: false,
    quota: false,
    metadata: undefined,
    ...options,
    // Made with the first request: most rules of a large file are asked seldom.
    get limits() {
      if (counts) limits ??= [fixedWindow({ name: unit, limit: requestsPerUnit, window: UNITS[unit].lengthMs })];
      return limits;
    },
    window: unit && {
      currentLimit: { requestsPerUnit, unit: UNITS[unit].number, name },
      lengthMs: UNITS[unit].lengthMs,
    },
  };
}
