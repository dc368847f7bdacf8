import type { Cost } from "../../core/cost.ts";
import { encodeKey } from "../../core/key.ts";
import { joinLimiters } from "../../limiter/combine.ts";
import type { Result } from "../../limiter/handle.ts";
import {
  consumeJointly,
  type JointDecision,
  type JointLimiter,
  type JointMember,
  uncounted,
} from "../../limiter/joint-call.ts";
import { ListCache } from "../../limiter/list-cache.ts";
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
interface JointRules<Kind extends "sync" | "async"> {
  readonly name: string;
  setOf(request: Request): { readonly rules: readonly Rule[] };
  limiterOf(rule: Rule): RuleLimiter<Kind>;
}

/** Clients choose which rules match, so the limiters that are kept are bounded. */
const MOST_JOINED = 1_024;

/** Decides several requests under the rules of a domain, all or nothing. */
export class JointCalls<Kind extends "sync" | "async"> {
  readonly #rules: JointRules<Kind>;
  readonly #costs = new WeakMap<Rule, RequestCost>();
  #joined = new ListCache<JointLimiter, JointLimiter>();
  #joinedCount = 0;

  constructor(rules: JointRules<Kind>) {
    this.#rules = rules;
  }

  consume(requests: readonly JointRequest[]): Result<Kind, JointDecision> {
    const members = new Map<string, JointMember & { readonly index: number; readonly costs: Cost[] }>();
    const parts = requests.map(({ request, cost }) =>
      this.#rules.setOf(request).rules.map((rule) => {
        // Names of rules have no line ends.
        const id = `${rule.name}\n${encodeKey(rule.keyOf(request))}`;
        const limiter = this.#rules.limiterOf(rule) as unknown as JointLimiter;
        const member = members.get(id) ?? { index: members.size, limiter, input: request as never, costs: [] };
        member.costs.push(this.#costOf(rule).of(request, cost));
        members.set(id, member);
        return member.index;
      }),
    );
    const all = [...members.values()];
    return (all.length === 0 ? this.#uncounted(parts) : consumeJointly(this.#join(all), all, parts)) as Result<
      Kind,
      JointDecision
    >;
  }

  #uncounted(parts: readonly unknown[]): JointDecision {
    const decision = uncounted(this.#rules.name);
    return { decision, parts: parts.map(() => decision) };
  }

  #costOf(rule: Rule): RequestCost {
    let cost = this.#costs.get(rule);
    if (cost === undefined) {
      cost = new RequestCost([rule]);
      this.#costs.set(rule, cost);
    }
    return cost;
  }

  #join(members: readonly JointMember[]): JointLimiter {
    const limiters = members.map(({ limiter }) => limiter);
    const [only] = limiters;
    if (only !== undefined && limiters.length === 1) return only;
    const known = this.#joined.get(limiters);
    if (known !== undefined) return known;
    this.#joinedCount += 1;
    if (this.#joinedCount > MOST_JOINED) {
      this.#joined = new ListCache();
      this.#joinedCount = 0;
    }
    const joined = joinLimiters(limiters);
    this.#joined.set(limiters, joined);
    return joined;
  }
}
