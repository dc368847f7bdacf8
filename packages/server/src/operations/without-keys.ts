import type { Choice, LimitsFile, MatchWords, Patterns, RuleWords } from "tollgate/config";
import { mapValues } from "../limits/map-values.ts";
import { secretName, shownValue } from "../log/client-name.ts";

/** The limits with hashes of the values of clients that rules name, unless these are addresses: they may be secrets. */
export function withoutKeys(file: LimitsFile): LimitsFile {
  const domains = mapValues(file.domains, (domain) => ({
    ...domain,
    limits: mapValues(domain.limits, withoutValues),
  }));
  return { ...file, domains };
}

function withoutValues(words: RuleWords): RuleWords {
  const { by, match, keys, plans } = words;
  const facts = typeof by === "string" ? [by] : (by ?? []);
  const isByAddress = facts.length === 1 && facts[0] === "ip";
  // The name of a plan is a key's if the key chooses it.
  const isKeyPlan = plans !== undefined && facts.includes(plans.from);
  return {
    ...words,
    ...(match !== undefined && { match: matchWithoutValues(match) }),
    ...(keys !== undefined && !isByAddress && { keys: hashed(keys) }),
    ...(isKeyPlan && { plans: { ...plans, is: hashed(plans.is) } }),
  };
}

function hashed(choices: Readonly<Record<string, Choice>>): Readonly<Record<string, Choice>> {
  return Object.fromEntries(Object.entries(choices).map(([name, choice]) => [secretName(name), choice]));
}

/** Headers, cookies, queries and descriptors may have what a client knows alone. */
function matchWithoutValues({ method, path, host, ip, descriptor, ...others }: MatchWords): MatchWords {
  const open = { method, path, host, ip };
  const given = Object.fromEntries(Object.entries(open).filter(([, patterns]) => patterns !== undefined));
  return {
    ...given,
    ...(descriptor !== undefined && { descriptor: mapValues(descriptor, shownPatterns) }),
    ...mapValues(others as Readonly<Record<string, Patterns>>, shownPatterns),
  };
}

function shownPatterns(patterns: Patterns): Patterns {
  return typeof patterns === "string" ? shownValue(patterns) : patterns.map(shownValue);
}
