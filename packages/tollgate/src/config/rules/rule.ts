import { show, TollgateError } from "../../core/errors.ts";
import type { Key } from "../../core/key.ts";
import type { Limit } from "../../core/limits/limit.ts";
import type { ChosenLimits } from "../../limiter/choosing/limits-choice.ts";
import type { Choice, RuleWords } from "../file/limits-file.ts";
import { type Condition, conditionsOf, holds, type PathCondition } from "./condition.ts";
import { type Fact, parseFact } from "./fact.ts";
import { limitsOfWords, unitsOfWords } from "./limit-words.ts";
import { pathText } from "./path-readings.ts";
import { countedText, EVERY_REQUEST, type Request } from "./request.ts";
import { keyOfAddress } from "./request-address.ts";
import type { Steps } from "./steps.ts";

/** Which limits a request has under a rule, and why. */
export interface ChosenWords {
  readonly by: "rule" | "plan" | "key";
  /** The plan or the key. */
  readonly name: string | undefined;
  readonly choice: Choice;
}

const DENIED: ChosenWords = { by: "rule", name: undefined, choice: "deny" };

/** A rule of a file, compiled. It makes its limits when a request first needs them. */
export class Rule {
  readonly name: string;
  /** Its place among the rules of its domain. */
  readonly order: number;
  readonly words: RuleWords;
  readonly facts: readonly Fact[];
  readonly conditions: readonly Condition[];
  /** Whether it counts places for any plan or key. */
  mayTakePlaces = false;
  /** Those that the search in the index of paths has not answered. */
  readonly #others: readonly Condition[];
  readonly #planFact: Fact | undefined;
  readonly #asksPath: boolean;
  /** Its keys in the spelling of the file, by the key under which addresses are counted, if it counts by `ip`. */
  #addresses: ReadonlyMap<string, string> | undefined = undefined;
  #units: readonly string[] = [];
  /** Made with the first limits: most rules of a large file are asked seldom. */
  #limits: Map<Choice, ChosenLimits> | undefined = undefined;
  /** By their words as text: keys of equal numbers share limits, and so the memory of a limiter. */
  #shared: Map<string, ChosenLimits> | undefined = undefined;
  /** The name under which each unit is counted, if it is not the unit. */
  #aliases: ReadonlyMap<string, string> | undefined = undefined;

  private constructor(name: string, order: number, words: RuleWords, ignoreCase: boolean) {
    this.name = name;
    this.order = order;
    this.words = words;
    const { by = [], match = {}, plans } = words;
    this.facts = [by].flat().map(parseFact);
    this.conditions = conditionsOf(match, ignoreCase);
    this.#others = this.conditions.some(isPath) ? this.conditions.filter((one) => !isPath(one)) : this.conditions;
    this.#planFact = plans === undefined ? undefined : parseFact(plans.from);
    const chosenBy = [words.keys === undefined ? undefined : this.facts[0], this.#planFact];
    this.#asksPath = this.conditions.some(isPath) || chosenBy.some((fact) => fact?.kind === "path");
  }

  /** The last rule of its domain, which denies what it counts. */
  static denying(name: string): Rule {
    return new Rule(name, Number.POSITIVE_INFINITY, { limit: "deny" }, false);
  }

  /** Compiles a rule step by step: it may have 100,000 keys. */
  static *compile(name: string, order: number, words: RuleWords, ignoreCase: boolean): Steps<Rule> {
    const rule = new Rule(name, order, words, ignoreCase);
    yield* rule.#readChoices();
    return rule;
  }

  *#readChoices(): Steps<void> {
    const { keys } = this.words;
    const units = new Set<string>();
    for (const choice of choicesOf(this.words)) {
      addUnits(choice, units);
      this.mayTakePlaces ||= typeof choice === "object" && choice.inflight !== undefined;
      yield;
    }
    this.#units = [...units];
    if (keys === undefined || this.facts[0]?.kind !== "ip") return;
    const addresses = new Map<string, string>();
    for (const key of Object.keys(keys)) {
      addresses.set(keyOfAddress(key) ?? key, key);
      yield;
    }
    this.#addresses = addresses;
  }

  /** Counts units under other names, so that rules of one request may differ in what it costs. */
  countAs(aliases: ReadonlyMap<string, string>): void {
    this.#aliases = aliases;
  }

  unitOf(unit: string): string {
    return this.#aliases?.get(unit) ?? unit;
  }

  /** Whether it counts a request whose path matches. */
  counts(request: Request): boolean {
    for (const condition of this.#others) if (!holds(condition, request)) return false;
    for (const fact of this.facts) if (request.isMissing(fact)) return false;
    return true;
  }

  /** The key that requests with these facts have. @throws TollgateError `ERR_KEY`. */
  keyOfTexts(key: string | readonly string[]): Key {
    const texts: readonly string[] = Array.isArray(key) ? key : [key];
    const areTexts = texts.every((text) => typeof text === "string");
    if (areTexts && this.facts.length === 0 && texts.length <= 1) return texts[0] ?? EVERY_REQUEST;
    if (!areTexts || texts.length !== this.facts.length) {
      const facts = this.facts.map(({ id }) => id).join(", ");
      const expected = facts === "" ? "an empty list, because the rule has no facts" : `a text for each of ${facts}`;
      throw new TollgateError("ERR_KEY", `key: expected ${expected}, got ${show(key)}`);
    }
    const parts = texts.map((text, i) => countedText(this.facts[i]!, text));
    return parts.length === 1 ? parts[0]! : parts;
  }

  /** Keys before plans, and plans before the rule's own limits. */
  choose(request: Request): ChosenWords {
    if (this.#isUnclear(request)) return DENIED;
    const { keys, plans } = this.words;
    if (keys !== undefined) {
      const fact = this.facts[0]!;
      const name = fact.kind === "path" ? listedPath(keys, request) : this.#nameIn(keys, request.read(fact));
      if (name !== undefined) return { by: "key", name, choice: keys[name]! };
    }
    if (plans !== undefined && this.#planFact !== undefined) {
      const fact = this.#planFact;
      const name = fact.kind === "path" ? listedPath(plans.is, request) : request.read(fact);
      if (name !== undefined && Object.hasOwn(plans.is, name)) return { by: "plan", name, choice: plans.is[name]! };
    }
    return { by: "rule", name: undefined, choice: this.words.limit ?? this.words };
  }

  /** Whether the application may read another path, or the line of a key that is denied. */
  #isUnclear(request: Request): boolean {
    if (this.#asksPath && request.path.isLong) return true;
    return this.words.keys !== undefined && request.isRepeated(this.facts[0]!);
  }

  /** The lists of limits that requests with a key may have. */
  listsOf(key: Key): readonly (readonly Limit[])[] {
    const { keys = {}, plans, limit } = this.words;
    const name = this.#nameIn(keys, String(key));
    const own = name === undefined ? [] : [keys[name]!];
    return [...own, ...Object.values(plans?.is ?? {}), limit ?? this.words]
      .map((choice) => this.limitsOf(choice))
      .filter((limits) => typeof limits !== "string");
  }

  limitsOf(choice: Choice): ChosenLimits {
    this.#limits ??= new Map();
    this.#shared ??= new Map();
    let limits = this.#limits.get(choice);
    if (limits === undefined) {
      const text = JSON.stringify(choice);
      limits = this.#shared.get(text) ?? this.#makeLimits(choice);
      this.#shared.set(text, limits);
      this.#limits.set(choice, limits);
    }
    return limits;
  }

  /** The limits of all requests, if the rule has no plans and no keys. */
  get fixedLimits(): readonly Limit[] | undefined {
    const { keys, plans, limit } = this.words;
    return keys === undefined && plans === undefined && limit === undefined
      ? (this.limitsOf(this.words) as readonly Limit[])
      : undefined;
  }

  /** The units that its limits count, whatever a request's plan and key. */
  get units(): readonly string[] {
    return this.#units;
  }

  /** Whether it counts any request. A rule that is off keeps the names of its units, so that no count is lost. */
  get isOn(): boolean {
    return this.words.mode !== "off";
  }

  /** That of its limits. */
  get mode(): "enforce" | "shadow" {
    return this.words.mode === "shadow" ? "shadow" : "enforce";
  }

  /** The spelling in the file of a key that it names. */
  #nameIn(keys: Readonly<Record<string, Choice>>, text: string): string | undefined {
    const name = this.#addresses === undefined ? text : this.#addresses.get(text);
    return name !== undefined && Object.hasOwn(keys, name) ? name : undefined;
  }

  #makeLimits(choice: Choice): ChosenLimits {
    // A shadow denies nothing.
    if (choice === "deny" && this.mode === "shadow") return "unlimited";
    if (typeof choice === "string") return choice;
    const { blockFor } = this.words;
    const setting = { rule: this.name, mode: this.mode, blockFor, unitOf: (unit: string) => this.unitOf(unit) };
    return Object.freeze(limitsOfWords(choice, setting));
  }
}

/** Finds those of some rules that count a request. */
export function addCounting(rules: readonly Rule[] | undefined, request: Request, found: Rule[]): void {
  if (rules === undefined) return;
  for (const rule of rules) if (rule.counts(request)) found.push(rule);
}

/** Any reading of the path that is listed. Only a path with one reading exempts a request. */
function listedPath(choices: Readonly<Record<string, Choice>>, { path: { readings } }: Request): string | undefined {
  const listed = readings.map(pathText).filter((path) => Object.hasOwn(choices, path));
  return listed.find((path) => choices[path] !== "unlimited" || readings.length === 1);
}

export function isPath(condition: Condition): condition is PathCondition {
  return condition.kind === "path";
}

/** The units that a rule counts for any plan and any key. */
export function unitsOfRule(words: RuleWords): ReadonlySet<string> {
  const units = new Set<string>();
  for (const choice of choicesOf(words)) addUnits(choice, units);
  return units;
}

/** What may hold for a request: the limits of the rule, of its plans and of its keys. */
function choicesOf(words: RuleWords): readonly Choice[] {
  return [words, ...Object.values(words.plans?.is ?? {}), ...Object.values(words.keys ?? {})];
}

function addUnits(choice: Choice, units: Set<string>): void {
  if (typeof choice === "object") for (const unit of unitsOfWords(choice)) units.add(unit);
}
