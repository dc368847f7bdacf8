import type { Cost } from "../../core/cost.ts";
import { encodeKey } from "../../core/key.ts";
import type { Maybe } from "../../core/maybe-async.ts";
import { consumeJointly, type JointDecision, type JointMember, uncounted } from "../../limiter/deciding/joint-call.ts";
import type { StoreLimiter } from "../../limiter/store-limiter.ts";
import type { DomainRules } from "./domain-rules.ts";
import type { Request } from "./request.ts";

/** One of several requests, and its cost as the caller gives it. */
export interface JointRequest {
  readonly request: Request;
  readonly cost: Cost | undefined;
}

/** Decides several requests under the rules of a domain, all or nothing. `domain` is the limiter that decides. */
export function consumeAll(
  rules: DomainRules,
  domain: StoreLimiter<never>,
  requests: readonly JointRequest[],
): Maybe<JointDecision> {
  const members = new Map<string, JointMember<Request> & { readonly index: number; readonly costs: Cost[] }>();
  const parts = requests.map(({ request, cost }) =>
    rules.setOf(request).rules.map((rule) => {
      const { choice } = rule.choose(request);
      // A plan that denies, or is unlimited, is not that of the key's other requests. No rule's name has line ends.
      const word = typeof choice === "string" ? choice : "";
      const id = `${rule.name}\n${word}\n${encodeKey(request.keyOf(rule.facts))}`;
      const { limiters, pricing } = rules.setFor([rule]);
      const { selection } = limiters[0]!;
      const member = members.get(id) ?? { index: members.size, selection, input: request, costs: [] };
      member.costs.push(pricing.of(request, cost));
      members.set(id, member);
      return member.index;
    }),
  );
  if (members.size > 0) return consumeJointly(domain, [...members.values()], parts);
  const decision = uncounted(domain.name);
  return { decision, parts: parts.map(() => decision) };
}
