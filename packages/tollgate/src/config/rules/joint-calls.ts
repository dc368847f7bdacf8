import type { Cost } from "../../core/cost.ts";
import { encodeKey } from "../../core/key.ts";
import type { Maybe } from "../../core/maybe-async.ts";
import { consumeJointly, type JointDecision, type JointMember, uncounted } from "../../limiter/deciding/joint-call.ts";
import type { StoreLimiter } from "../../limiter/store-limiter.ts";
import type { Request } from "./request.ts";
import { RequestCost } from "./request-cost.ts";
import type { Rule } from "./rule.ts";
import type { RuleLimiter } from "./rule-limiter.ts";

/** One of several requests, and its cost as the caller gives it. */
export interface JointRequest {
  readonly request: Request;
  readonly cost: Cost | undefined;
}

/** What is used of the rules of a domain. */
interface JointRules {
  setOf(request: Request): { readonly rules: readonly Rule[] };
  limiterOf(rule: Rule): RuleLimiter;
}

/** Decides several requests under the rules of a domain, all or nothing. */
export class JointCalls {
  readonly #rules: JointRules;
  readonly #costs = new WeakMap<Rule, RequestCost>();

  constructor(rules: JointRules) {
    this.#rules = rules;
  }

  consume(domain: StoreLimiter<never>, requests: readonly JointRequest[]): Maybe<JointDecision> {
    const members = new Map<string, JointMember<Request> & { readonly index: number; readonly costs: Cost[] }>();
    const parts = requests.map(({ request, cost }) =>
      this.#rules.setOf(request).rules.map((rule) => {
        // Names of rules have no line ends.
        const id = `${rule.name}\n${encodeKey(request.keyOf(rule.facts))}`;
        const { selection } = this.#rules.limiterOf(rule);
        const member = members.get(id) ?? { index: members.size, selection, input: request, costs: [] };
        member.costs.push(this.#costOf(rule).of(request, cost));
        members.set(id, member);
        return member.index;
      }),
    );
    if (members.size > 0) return consumeJointly(domain, [...members.values()], parts);
    const decision = uncounted(domain.name);
    return { decision, parts: parts.map(() => decision) };
  }

  #costOf(rule: Rule): RequestCost {
    const known = this.#costs.get(rule) ?? new RequestCost([rule]);
    this.#costs.set(rule, known);
    return known;
  }
}
