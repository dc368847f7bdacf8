import type { Cost } from "../../core/cost.ts";
import type { Key } from "../../core/key.ts";
import type { ChosenLimits } from "../../limiter/choosing/limits-choice.ts";
import { expectedBy, holds } from "./condition.ts";
import type { Request } from "./request.ts";
import { RequestCost } from "./request-cost.ts";
import type { Rule } from "./rule.ts";

/** What a rule says about a request. */
export type RuleExplanation = CountingRule | OtherRule;

/** A rule that counts the request. */
export interface CountingRule {
  readonly rule: string;
  readonly matches: true;
  /** The facts that make the key. */
  readonly by: readonly string[];
  readonly key: Key;
  /** Where its limits are written: in the rule itself, or under the plan or the key of this name. */
  readonly chosenBy: "rule" | "plan" | "key";
  readonly chosen: string | undefined;
  readonly limits: ChosenLimits;
  readonly mode: "enforce" | "shadow";
  readonly cost: Cost;
}

/** A rule that does not count the request: the first condition that does not hold. */
export interface OtherRule {
  readonly rule: string;
  readonly matches: false;
  /** The word that says so, such as `path`, `header.x-api-key` or `by`. */
  readonly word: string;
  readonly expected: string;
  /** `""` if the request does not have it. */
  readonly got: string;
}

/** Says whether and how a rule counts a request. Nothing is counted. */
export function explainRule(rule: Rule, request: Request): RuleExplanation {
  if (!rule.isOn) return { rule: rule.name, matches: false, word: "mode", expected: "enforce or shadow", got: "off" };
  for (const condition of rule.conditions) {
    if (holds(condition, request)) continue;
    const { word, fact } = condition;
    return { rule: rule.name, matches: false, word, expected: expectedBy(condition), got: request.read(fact) };
  }
  for (const fact of rule.facts) {
    if (!request.isMissing(fact)) continue;
    return { rule: rule.name, matches: false, word: "by", expected: fact.id, got: "" };
  }
  const { by, name, choice } = rule.choose(request);
  return {
    rule: rule.name,
    matches: true,
    by: rule.facts.map(({ id }) => id),
    key: request.keyOf(rule.facts),
    chosenBy: by,
    chosen: name,
    limits: rule.limitsOf(choice),
    mode: rule.mode,
    cost: new RequestCost([rule]).of(request, undefined),
  };
}
