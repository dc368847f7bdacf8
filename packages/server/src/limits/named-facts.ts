import type { LimitsFile, MatchWords, RuleWords } from "tollgate/config";

/** What rules do with a fact: `"identity"` if only requests with the same text have to be told from others. */
export type FactUse = "identity" | "text";

/** The facts that rules name, each in one spelling. */
export type NamedFacts = ReadonlyMap<string, FactUse>;

const NAMED = /^(?:header|query|cookie|descriptor)\./;
const PLAIN: ReadonlySet<string> = new Set(["ip", "method", "path", "host"]);

/** The facts with a name of their own that the rules of a file ask for, such as `header.x-api-key`. */
export function namedFacts(file: LimitsFile): NamedFacts {
  const found = new Map<string, FactUse>();
  const note = (word: string, use: FactUse): void => {
    const name = spelledOnce(word);
    if (PLAIN.has(name) || (use === "identity" && found.has(name))) return;
    found.set(name, use);
  };
  for (const { limits } of Object.values(file.domains)) {
    for (const rule of Object.values(limits)) {
      for (const fact of listOf(rule.by ?? [])) note(fact, rule.keys === undefined ? "identity" : "text");
      for (const fact of factsWithText(rule)) note(fact, "text");
    }
  }
  return found;
}

function factsWithText({ match = {}, plans, cost }: RuleWords): string[] {
  const costs = typeof cost === "object" ? Object.values(cost) : [cost];
  return [
    ...factsOfMatch(match),
    ...(plans === undefined ? [] : [plans.from]),
    ...costs.flatMap((one) => (typeof one === "object" ? [one.from] : typeof one === "string" ? [one] : [])),
  ];
}

function factsOfMatch(match: MatchWords): string[] {
  return Object.entries(match).flatMap(([word, value]) =>
    word === "descriptor" ? Object.keys(value as object).map((key) => `descriptor.${key}`) : [word],
  );
}

/** A word that is no other fact is a descriptor's key. */
function spelledOnce(word: string): string {
  if (PLAIN.has(word)) return word;
  if (!NAMED.test(word)) return `descriptor.${word}`;
  return word.startsWith("header.") ? word.toLowerCase() : word;
}

function listOf(some: string | readonly string[]): readonly string[] {
  return typeof some === "string" ? [some] : some;
}
