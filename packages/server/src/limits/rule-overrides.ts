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

/** The overrides of rules. Each ends by itself. */
export class RuleOverrides {
  readonly #clock: Clock;
  readonly #onExpiry: (expired: readonly RuleOverride[]) => void;
  readonly #active = new Map<string, RuleOverride>();
  #cancel: () => void = () => {};

  /** `onExpiry` is called when overrides have ended by themselves. */
  constructor(clock: Clock, onExpiry: (expired: readonly RuleOverride[]) => void) {
    this.#clock = clock;
    this.#onExpiry = onExpiry;
  }

  get list(): readonly RuleOverride[] {
    return [...this.#active.values()];
  }

  get size(): number {
    return this.#active.size;
  }

  find(domain: string, rule: string): RuleOverride | undefined {
    return this.#active.get(nameOf(domain, rule));
  }

  /** @returns `false` if there are too many. */
  set(override: RuleOverride): boolean {
    const name = nameOf(override.domain, override.rule);
    if (!this.#active.has(name) && this.#active.size >= MOST_OVERRIDES) return false;
    this.#active.set(name, override);
    this.#schedule();
    return true;
  }

  remove(domain: string, rule: string): void {
    this.#active.delete(nameOf(domain, rule));
    this.#schedule();
  }

  /** Ends the overrides of rules that a file does not have. @returns them. */
  keepThoseOf(file: LimitsFile): readonly RuleOverride[] {
    const stray = this.list.filter(({ domain, rule }) => ruleOf(file, domain, rule) === undefined);
    for (const { domain, rule } of stray) this.#active.delete(nameOf(domain, rule));
    this.#schedule();
    return stray;
  }

  close(): void {
    this.#cancel();
  }

  #schedule(): void {
    this.#cancel();
    this.#cancel = () => {};
    if (this.#active.size === 0) return;
    const firstMs = Math.min(...this.list.map(({ untilMs }) => untilMs));
    const delayMs = Math.min(Math.max(firstMs - this.#clock.now(), 0), LONGEST_DELAY_MS);
    this.#cancel = scheduleOn(this.#clock, () => this.#expire(), delayMs);
  }

  /** A timer may be early. */
  #expire(): void {
    const nowMs = this.#clock.now();
    const expired = this.list.filter(({ untilMs }) => untilMs <= nowMs);
    for (const { domain, rule } of expired) this.#active.delete(nameOf(domain, rule));
    this.#schedule();
    if (expired.length > 0) this.#onExpiry(expired);
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

/** Names have no slash. */
function nameOf(domain: string, rule: string): string {
  return `${domain}/${rule}`;
}
