import { keyList } from "./key-list.ts";
import type { DomainWords, RuleWords } from "./limits-file.ts";
import { isSameValue } from "./node-value.ts";

type Steps = Generator<undefined, boolean>;

/** They take about a millisecond. */
const VALUES_IN_STEP = 1_000;

/** Whether two domains are equal, and their rules and words in the same order, step by step. */
export function* isSameDomain(one: DomainWords, other: DomainWords): Steps {
  const { limits, ...words } = one;
  const { limits: otherLimits, ...otherWords } = other;
  return isSameValue(words, otherWords) && (yield* isSameMap(limits, otherLimits, isSameRule));
}

/** A rule may have 100,000 keys. */
function* isSameRule(one: RuleWords, other: RuleWords): Steps {
  const { keys = {}, ...words } = one;
  const { keys: otherKeys = {}, ...otherWords } = other;
  return isSameValue(words, otherWords) && (yield* isSameMap(keys, otherKeys, isSameValue));
}

function* isSameMap<Value>(
  one: Readonly<Record<string, Value>>,
  other: Readonly<Record<string, Value>>,
  isSameEntry: (one: Value, other: Value) => boolean | Steps,
): Steps {
  const names = keyList(one);
  const otherNames = keyList(other);
  if (names.length !== otherNames.length) return false;
  for (const [i, name] of names.entries()) {
    if (i % VALUES_IN_STEP === VALUES_IN_STEP - 1) yield;
    if (name !== otherNames[i]) return false;
    const same = isSameEntry(one[name]!, other[name]!);
    if (!(typeof same === "boolean" ? same : yield* same)) return false;
  }
  return true;
}
