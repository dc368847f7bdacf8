import { AddressIndex } from "./address-index.ts";
import type { AddressCondition, Condition, TextCondition } from "./condition.ts";
import type { Fact } from "./fact.ts";
import { PathIndex } from "./path-index.ts";
import type { Request } from "./request.ts";
import { isPath, Rule } from "./rule.ts";

/**
 * Finds the rules that may count a request without looking at all: by the segments of its path first, then by the exact
 * texts of one other condition, or by its address. What remains is looked at one by one.
 */
export class RuleIndex {
  readonly #byPath = new PathIndex<Bucket>();
  readonly #pathless = new Bucket();
  #hasPaths = false;
  /** Stands for all rules with paths where a path takes too long to compare. It denies if one of them may. */
  #longPath: Rule | undefined;
  readonly #manyValues = Rule.denying("many-values");

  /** The rules that count a request, in the order of the file. */
  find(request: Request): Rule[] {
    const found: Rule[] = [];
    this.#pathless.find(request, found, this.#manyValues);
    if (this.#hasPaths) {
      const { path } = request;
      const buckets = new Set<Bucket>();
      if (!this.#byPath.find(path.readings, buckets)) path.isLong = true;
      if (path.isLong && this.#longPath !== undefined) found.push(this.#longPath);
      else for (const bucket of buckets) bucket.find(request, found, this.#manyValues);
    }
    return inOrder(found);
  }

  add(rule: Rule): void {
    const path = rule.conditions.find(isPath);
    if (path === undefined) {
      this.#pathless.add(rule);
      return;
    }
    this.#hasPaths = true;
    if (rule.mode === "enforce") this.#longPath ??= Rule.denying("long-path");
    for (const pattern of path.paths) this.#byPath.at(pattern, () => new Bucket()).add(rule);
  }
}

/** The rules that texts of a fact tell apart. */
interface RulesByText {
  readonly fact: Fact;
  readonly rules: Map<string, Rule[]>;
  enforces: boolean;
}

const NO_TEXTS: RulesByText[] = [];

/** The rules that no path tells apart. */
class Bucket {
  /** By the exact texts of a fact. */
  #byText: RulesByText[] = NO_TEXTS;
  #byAddress: AddressIndex<Rule> | undefined = undefined;
  readonly #rest: Rule[] = [];

  add(rule: Rule): void {
    const text = selective(rule.conditions);
    if (text !== undefined) {
      const known = this.#textsOf(text.fact);
      const { rules } = known;
      known.enforces ||= rule.mode === "enforce";
      for (const exact of text.exact ?? []) {
        const same = rules.get(exact);
        if (same === undefined) rules.set(exact, [rule]);
        else same.push(rule);
      }
      return;
    }
    const address = rule.conditions.find(isAddress);
    if (address === undefined) {
      this.#rest.push(rule);
      return;
    }
    this.#byAddress ??= new AddressIndex();
    for (const entry of address.listed) this.#byAddress.add(entry, rule);
  }

  /** `manyValues` stands for all rules with exact texts of a fact whose values are too many to compare. */
  find(request: Request, found: Rule[], manyValues: Rule): void {
    addCounting(this.#rest, request, found);
    for (const { fact, rules, enforces } of this.#byText) {
      const readings = request.readingsOf(fact);
      if (readings !== undefined) for (const text of readings) addCounting(rules.get(text), request, found);
      else if (enforces) found.push(manyValues);
    }
    if (this.#byAddress === undefined) return;
    const { address } = request;
    if (address === undefined) return;
    const rules: Rule[] = [];
    this.#byAddress.find(address, rules);
    addCounting(rules, request, found);
  }

  #textsOf(fact: Fact): RulesByText {
    let known = this.#byText.find((other) => other.fact.id === fact.id);
    if (known === undefined) {
      known = { fact, rules: new Map(), enforces: false };
      this.#byText = [...this.#byText, known];
    }
    return known;
  }
}

/** Methods tell the fewest rules apart. */
const SELECTIVE: readonly ((condition: TextCondition) => boolean)[] = [
  ({ word }) => word === "host",
  ({ word }) => word !== "method",
  () => true,
];

function selective(conditions: readonly Condition[]): TextCondition | undefined {
  const exact = conditions.filter(
    (condition): condition is TextCondition => isText(condition) && condition.exact !== undefined,
  );
  const hasAddress = conditions.some(isAddress);
  for (const isSelective of hasAddress ? SELECTIVE.slice(0, 2) : SELECTIVE) {
    const found = exact.find(isSelective);
    if (found !== undefined) return found;
  }
  return undefined;
}

function addCounting(rules: readonly Rule[] | undefined, request: Request, found: Rule[]): void {
  if (rules === undefined) return;
  for (const rule of rules) if (rule.counts(request)) found.push(rule);
}

/** In the order of the file, each once: several paths or addresses of a rule may match. */
function inOrder(rules: Rule[]): Rule[] {
  if (rules.length < 2 || rules.every(({ order }, i) => i === 0 || rules[i - 1]!.order < order)) return rules;
  rules.sort((one, other) => one.order - other.order);
  return rules.filter((rule, i) => rule !== rules[i - 1]);
}

function isText(condition: Condition): condition is TextCondition {
  return condition.kind === "text";
}

function isAddress(condition: Condition): condition is AddressCondition {
  return condition.kind === "address";
}
