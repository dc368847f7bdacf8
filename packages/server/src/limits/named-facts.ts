import { type CostWord, factId, type LimitsFile, type MatchWords, type RuleWords } from "tollgate/config";

/** What rules do with a fact: `"identity"` if only requests with the same text have to be told from others. */
export type FactUse = "identity" | "text";

/** The facts that rules name, each in one spelling. */
export type NamedFacts = ReadonlyMap<string, FactUse>;

const PLAIN: ReadonlySet<string> = new Set(["ip", "method", "path", "host"]);

/** The facts with a name of their own that the rules of a file ask for, such as `header.x-api-key`. */
export function namedFacts(file: LimitsFile): NamedFacts {
  const found = new FoundFacts();
  for (const { limits } of Object.values(file.domains)) {
    for (const name of Object.keys(limits)) found.addRule(limits[name]!);
  }
  return found.uses;
}

/** Has to be fast for 10,000 rules: requests wait meanwhile. Most rules name the same facts. */
class FoundFacts {
  readonly uses = new Map<string, FactUse>();
  /** The words as the rules have them. */
  readonly #words = new Map<string, FactUse>();

  addRule({ by = [], keys, match, plans, cost }: RuleWords): void {
    const use = keys === undefined ? "identity" : "text";
    if (typeof by === "string") this.#add(by, use);
    else for (const fact of by) this.#add(fact, use);
    if (match !== undefined) this.#addMatch(match);
    if (plans !== undefined) this.#add(plans.from, "text");
    if (typeof cost !== "object") this.#addCost(cost);
    else for (const unit of Object.keys(cost)) this.#addCost(cost[unit]);
  }

  #addMatch(match: MatchWords): void {
    for (const word of Object.keys(match)) {
      if (word !== "descriptor") this.#add(word, "text");
      else for (const key of Object.keys(match.descriptor ?? {})) this.#add(`descriptor.${key}`, "text");
    }
  }

  #addCost(cost: CostWord | undefined): void {
    if (typeof cost === "string") this.#add(cost, "text");
    else if (typeof cost === "object") this.#add(cost.from, "text");
  }

  #add(word: string, use: FactUse): void {
    const known = this.#words.get(word);
    if (known === use || known === "text") return;
    this.#words.set(word, use);
    const name = factId(word);
    if (!PLAIN.has(name) && this.uses.get(name) !== "text") this.uses.set(name, use);
  }
}
