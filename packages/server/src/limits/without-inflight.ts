import { type Choice, type LimitsFile, type LimitWords, type RuleWords, trustLimitsFile } from "tollgate/config";
import { mapValues } from "./map-values.ts";

/** Limits without `inflight`, and the rules that had it: where it is not known when a request was over. */
export function withoutInflight(file: LimitsFile): { readonly file: LimitsFile; readonly rules: readonly string[] } {
  const rules: string[] = [];
  const domains = mapValues(file.domains, (words, domain) => ({
    ...words,
    limits: mapValues(words.limits, (given, rule): RuleWords => {
      const changed = ruleWithout(given);
      if (changed !== given) rules.push(`${domain}/${rule}`);
      return changed;
    }),
  }));
  // What is left of checked limits is right.
  return { file: rules.length === 0 ? file : trustLimitsFile({ ...file, domains }), rules };
}

/** The same object if nothing changes. */
function ruleWithout(words: RuleWords): RuleWords {
  const { plans, keys } = words;
  const choices = [words, ...Object.values(plans?.is ?? {}), ...Object.values(keys ?? {})];
  if (!choices.some((choice) => typeof choice === "object" && choice.inflight !== undefined)) return words;
  const { inflight: _, ...others } = words;
  return {
    ...others,
    ...(!hasLimits(others) && { limit: "unlimited" }),
    ...(plans !== undefined && { plans: { ...plans, is: mapValues(plans.is, choiceWithout) } }),
    ...(keys !== undefined && { keys: mapValues(keys, choiceWithout) }),
  };
}

function choiceWithout(choice: Choice): Choice {
  if (typeof choice !== "object" || choice.inflight === undefined) return choice;
  const { inflight: _, ...others } = choice;
  return hasLimits(others) ? others : "unlimited";
}

function hasLimits(words: LimitWords & Pick<RuleWords, "limit">): boolean {
  return ["rate", "within", "quota", "limit"].some((word) => word in words);
}
