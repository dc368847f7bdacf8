import type { Clock } from "tollgate";
import { type LimitsFile, type RuleWords, trustLimitsFile } from "tollgate/config";
import { mapValues } from "./map-values.ts";

/** What an operator makes of a rule for a time, whatever its file says. */
export type OverrideMode = "off" | "shadow" | "on";

export interface RuleOverride {
  readonly domain: string;
  readonly rule: string;
  readonly mode: OverrideMode;
  /** In milliseconds since the epoch. */
  readonly untilMs: number;
  /** The name of the operator's token. */
  readonly by: string;
}

/** More of them belong into a limits file. */
export const MOST_OVERRIDES = 100;

/** The longest delay of a timer. */
const LONGEST_DELAY_MS = 2 ** 31 - 1;

const MODES: Readonly<Record<OverrideMode, NonNullable<RuleWords["mode"]>>> = {
  off: "off",
  shadow: "shadow",
  on: "enforce",
};

/** The overrides of rules that hold, and a timer for the first that ends. */
export class RuleOverrides {
  readonly #clock: Clock;
  readonly #onDue: () => void;
  #list: readonly RuleOverride[] = [];
  #cancel: () => void = () => {};

  /** `onDue` is called when an override should end. It holds until `replace` leaves it out. */
  constructor(clock: Clock, onDue: () => void) {
    this.#clock = clock;
    this.#onDue = onDue;
  }

  get list(): readonly RuleOverride[] {
    return this.#list;
  }

  /** Those whose time is over. */
  get due(): readonly RuleOverride[] {
    const nowMs = this.#clock.now();
    return this.#list.filter(({ untilMs }) => untilMs <= nowMs);
  }

  find(domain: string, rule: string): RuleOverride | undefined {
    return this.#list.find((override) => isOf(override, domain, rule));
  }

  /** The list with one more, in place of another one of the rule. `undefined` if there would be too many. */
  with(override: RuleOverride): readonly RuleOverride[] | undefined {
    const others = this.#list.filter((other) => !isOf(other, override.domain, override.rule));
    return others.length < MOST_OVERRIDES ? [...others, override] : undefined;
  }

  replace(list: readonly RuleOverride[]): void {
    this.#list = list;
    this.#schedule();
  }

  close(): void {
    this.#cancel();
  }

  #schedule(): void {
    this.#cancel();
    this.#cancel = () => {};
    if (this.#list.length === 0) return;
    const firstMs = Math.min(...this.#list.map(({ untilMs }) => untilMs));
    const delayMs = Math.min(Math.max(firstMs - this.#clock.now(), 0), LONGEST_DELAY_MS);
    this.#cancel = scheduleOn(this.#clock, () => this.#wake(), delayMs);
  }

  /** A timer may be early. */
  #wake(): void {
    if (this.due.length > 0) this.#onDue();
    else this.#schedule();
  }
}

/** A file whose rules have the modes of overrides. Overrides of rules that it does not have say nothing. */
export function withOverrides(file: LimitsFile, overrides: readonly RuleOverride[]): LimitsFile {
  if (overrides.length === 0) return file;
  const rules = new Map<string, Record<string, RuleWords>>();
  for (const { domain, rule, mode } of overrides) {
    const own = ruleOf(file, domain, rule);
    if (own === undefined) continue;
    const changed = rules.get(domain) ?? { ...file.domains[domain]?.limits };
    changed[rule] = { ...own, mode: MODES[mode] };
    rules.set(domain, changed);
  }
  const domains = mapValues(file.domains, (words, name) => ({ ...words, limits: rules.get(name) ?? words.limits }));
  return trustLimitsFile({ ...file, domains });
}

/** A rule of a file. `undefined` if the file does not have it. */
export function ruleOf({ domains }: LimitsFile, domain: string, rule: string): RuleWords | undefined {
  const rules = Object.hasOwn(domains, domain) ? domains[domain]?.limits : undefined;
  return rules !== undefined && Object.hasOwn(rules, rule) ? rules[rule] : undefined;
}

function scheduleOn(clock: Clock, callback: () => void, delayMs: number): () => void {
  if (clock.schedule !== undefined) return clock.schedule(callback, delayMs);
  const timer = setTimeout(callback, delayMs).unref();
  return () => clearTimeout(timer);
}

function isOf(override: RuleOverride, domain: string, rule: string): boolean {
  return override.domain === domain && override.rule === rule;
}
