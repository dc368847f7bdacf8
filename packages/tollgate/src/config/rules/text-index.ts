import type { TextCondition } from "./condition.ts";
import type { Fact } from "./fact.ts";
import type { Request } from "./request.ts";
import { addCounting, type Rule } from "./rule.ts";

/** Rules by texts of one length, with which a fact begins or ends. */
interface Level {
  readonly length: number;
  readonly rules: Map<string, Rule[]>;
}

/** Whether texts of its fact tell the rules of a condition apart. */
export function isIndexable({ patterns }: TextCondition): boolean {
  return patterns.every(({ exact, start, end }) => exact !== undefined || start !== "" || end !== "");
}

/** Rules by the texts of a fact: whole texts, or what stands before the first star of a pattern or after the last. */
export class TextIndex {
  readonly fact: Fact;
  readonly #whole = new Map<string, Rule[]>();
  readonly #starts: Level[] = [];
  readonly #ends: Level[] = [];
  readonly #withStars: Rule[] = [];
  #enforces = false;

  constructor(fact: Fact) {
    this.fact = fact;
  }

  add(rule: Rule, { patterns, exact: texts }: TextCondition): void {
    if (texts === undefined) this.#withStars.push(rule);
    else this.#enforces ||= rule.mode === "enforce";
    for (const { exact, start, end } of patterns) {
      if (exact !== undefined) addTo(this.#whole, exact, rule);
      else if (start !== "") addTo(rulesOf(this.#starts, start), start, rule);
      else addTo(rulesOf(this.#ends, end), end, rule);
    }
  }

  /** `manyValues` stands for all rules with exact texts, where the values are too many to compare. */
  find(request: Request, found: Rule[], manyValues: Rule): void {
    const readings = request.readingsOf(this.fact);
    if (readings === undefined) {
      addCounting(this.#withStars, request, found);
      if (this.#enforces) found.push(manyValues);
      return;
    }
    for (const text of readings) {
      addCounting(this.#whole.get(text), request, found);
      for (const { length, rules } of this.#starts) addCounting(rules.get(text.slice(0, length)), request, found);
      for (const { length, rules } of this.#ends) addCounting(rules.get(text.slice(-length)), request, found);
    }
  }
}

function rulesOf(levels: Level[], { length }: string): Map<string, Rule[]> {
  const known = levels.find((level) => level.length === length);
  if (known !== undefined) return known.rules;
  const rules = new Map<string, Rule[]>();
  levels.push({ length, rules });
  return rules;
}

function addTo(rules: Map<string, Rule[]>, text: string, rule: Rule): void {
  const same = rules.get(text);
  if (same === undefined) rules.set(text, [rule]);
  else same.push(rule);
}
