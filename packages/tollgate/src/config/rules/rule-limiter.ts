import { type Clock, systemClock } from "../../core/clock.ts";
import type { AsyncStore, OnFailure, SyncStore } from "../../core/store.ts";
import { createInDomain, type RulesOwner } from "../../limiter/create-limiter.ts";
import type { StoreLimiter } from "../../limiter/store-limiter.ts";
import type { OnFailureWord } from "../file/limits-file.ts";
import type { Request } from "./request.ts";
import type { Rule } from "./rule.ts";

/** The limiter of a rule, whatever its store. */
export type RuleLimiter = StoreLimiter<Request>;

/** Where the limiters of a file count. */
export interface RuleStore {
  readonly store: SyncStore | AsyncStore;
  readonly clock: Clock;
  /** The policy that counts in this process while the store is unavailable, as one of so many nodes. */
  readonly asNodeOf: (nodes: number) => OnFailure;
  readonly lostCorrections?: "throw" | undefined;
}

/** The clock of limiters over a store: as `createLimiter` chooses it. */
export function clockOf(store: SyncStore | AsyncStore, clock: Clock | undefined): Clock {
  return clock ?? (store.kind === "sync" ? store.clock : undefined) ?? systemClock;
}

/**
 * The limiter of a rule. Its keys belong to the names of the domain and the rule; the domain's watch sees its calls.
 */
export function limiterOf(
  domain: RulesOwner,
  rule: Rule,
  where: RuleStore,
  onFailure: OnFailureWord | undefined,
): RuleLimiter {
  const { store, clock } = where;
  const policy = store.kind === "sync" || onFailure === undefined ? undefined : policyOf(onFailure, where);
  const choose = (request: Request) => rule.limitsOf(rule.choose(request).choice);
  const options = {
    name: `${domain.name}/${rule.name}`,
    key: (request: Request) => request.keyOf(rule.facts),
    // A share of a limit that is fixed may be refused as too slow. One that is chosen is raised.
    limits: typeof policy === "object" ? choose : (rule.fixedLimits ?? choose),
    store,
    clock,
    ...(policy !== undefined && { onFailure: policy }),
  };
  return createInDomain<Request>(options, domain);
}

function policyOf(onFailure: OnFailureWord, { asNodeOf }: RuleStore): OnFailure {
  if (onFailure === "allow" || onFailure === "deny") return onFailure;
  return asNodeOf(onFailure === "local" ? 1 : onFailure.nodes);
}

/** Closes a limiter when its last call has waited long enough, at once if none waits. */
export function closeAfterWaits(limiter: RuleLimiter): void {
  const lines = limiter.selection.owners[0]?.lines;
  if (lines?.some === true) lines.onEmpty = () => limiter.end();
  else limiter.end();
}
