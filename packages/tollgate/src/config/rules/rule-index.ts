import type { Condition, TextCondition } from "./condition.ts";
import type { Fact } from "./fact.ts";
import { PathIndex } from "./path-index.ts";
import type { Request } from "./request.ts";
import { addCounting, isPath, Rule } from "./rule.ts";
import { isIndexable, TextIndex } from "./text-index.ts";

/**
 * Finds the rules that may count a request without looking at all: by the segments of its path first, then by the texts
 * of one other condition. What remains is looked at one by one.
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

const NO_TEXTS: readonly TextIndex[] = [];

/** The rules that no path tells apart. */
class Bucket {
  /** By the texts of a fact. */
  #byText = NO_TEXTS;
  readonly #rest: Rule[] = [];

  add(rule: Rule): void {
    const condition = selective(rule.conditions);
    if (condition === undefined) this.#rest.push(rule);
    else this.#textsOf(condition.fact).add(rule, condition);
  }

  find(request: Request, found: Rule[], manyValues: Rule): void {
    addCounting(this.#rest, request, found);
    for (const texts of this.#byText) texts.find(request, found, manyValues);
  }

  #textsOf(fact: Fact): TextIndex {
    let known = this.#byText.find((other) => other.fact.id === fact.id);
    if (known === undefined) {
      known = new TextIndex(fact);
      this.#byText = [...this.#byText, known];
    }
    return known;
  }
}

/** What tells rules apart, the best first. Methods tell the fewest. */
const SELECTIVE: readonly ((condition: TextCondition) => boolean)[] = [
  ({ exact, word }) => exact !== undefined && word === "host",
  ({ exact, word }) => exact !== undefined && word !== "method",
  ({ word }) => word === "ip",
  (condition) => condition.exact === undefined && isIndexable(condition),
  ({ exact }) => exact !== undefined,
];

function selective(conditions: readonly Condition[]): TextCondition | undefined {
  const texts = conditions.filter((condition) => condition.kind === "text");
  for (const isSelective of SELECTIVE) {
    const found = texts.find(isSelective);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** In the order of the file, each once: several paths or addresses of a rule may match. */
function inOrder(rules: Rule[]): Rule[] {
  if (rules.length < 2 || rules.every(({ order }, i) => i === 0 || rules[i - 1]!.order < order)) return rules;
  rules.sort((one, other) => one.order - other.order);
  return rules.filter((rule, i) => rule !== rules[i - 1]);
}
