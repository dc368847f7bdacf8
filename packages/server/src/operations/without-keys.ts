import type { Choice, LimitsFile, RuleWords } from "tollgate/config";
import { mapValues } from "../limits/map-values.ts";
import { secretName } from "../log/client-name.ts";

/** The limits with the hashes of the keys that rules name, unless these are addresses: API keys are secrets. */
export function withoutKeys(file: LimitsFile): LimitsFile {
  const domains = mapValues(file.domains, (domain) => ({
    ...domain,
    limits: mapValues(domain.limits, withHashedKeys),
  }));
  return { ...file, domains };
}

function withHashedKeys(words: RuleWords): RuleWords {
  const { by, keys } = words;
  const [fact, ...others] = typeof by === "string" ? [by] : (by ?? []);
  if (keys === undefined || (fact === "ip" && others.length === 0)) return words;
  const hashed = Object.entries(keys).map(([key, choice]): [string, Choice] => [secretName(key), choice]);
  return { ...words, keys: Object.fromEntries(hashed) };
}
