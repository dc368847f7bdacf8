import { type Clock, systemClock } from "../../core/clock.ts";
import type { Key } from "../../core/key.ts";
import type { AsyncStore, OnFailure, SyncStore } from "../../core/store.ts";
import { AsyncStoreLimiter } from "../../limiter/async-store-limiter.ts";
import { combine } from "../../limiter/combine.ts";
import { CombinedSelection } from "../../limiter/combined-selection.ts";
import { createLimiter } from "../../limiter/create-limiter.ts";
import type { Limiter } from "../../limiter/limiter.ts";
import type { Lines } from "../../limiter/lines.ts";
import { Observers } from "../../limiter/observers.ts";
import type { HandleVerbs, RoutedTo } from "../../limiter/router.ts";
import type { PlannedSpace } from "../../limiter/space-list.ts";
import { SyncStoreLimiter } from "../../limiter/sync-store-limiter.ts";
import type { OnFailureWord } from "../file/limits-file.ts";
import type { Request } from "./request.ts";
import type { Rule } from "./rule.ts";

type Kinds = "sync" | "async";

/** The limiter of a rule, or of several, whatever its store. */
export interface RuleLimiter<Kind extends Kinds> extends RoutedTo<Kind, Request> {
  byKey(key: Key): HandleVerbs<Kind>;
}

/** Where the limiters of a file count. */
export interface RuleStore {
  readonly store: SyncStore | AsyncStore;
  readonly clock: Clock;
  /** The policy that counts in this process while the store is unavailable, as one of so many nodes. */
  readonly asNodeOf: (nodes: number) => OnFailure;
}

/** The clock of limiters over a store: as `createLimiter` chooses it. */
export function clockOf(store: SyncStore | AsyncStore, clock: Clock | undefined): Clock {
  return clock ?? (store.kind === "sync" ? store.clock : undefined) ?? systemClock;
}

/** The limiter of a rule. Its keys belong to the names of the domain and the rule. */
export function limiterOf<Kind extends Kinds>(
  domain: string,
  rule: Rule,
  where: RuleStore,
  onFailure: OnFailureWord | undefined,
): RuleLimiter<Kind> {
  const { store, clock } = where;
  const policy = store.kind === "sync" || onFailure === undefined ? undefined : policyOf(onFailure, where);
  const choose = (request: Request) => rule.limitsOf(rule.choose(request).choice);
  const limiter: unknown = createLimiter({
    name: `${domain}/${rule.name}`,
    key: (request: Request) => rule.keyOf(request),
    // A share of a limit that is fixed may be refused as too slow. One that is chosen is raised.
    limits: typeof policy === "object" ? choose : (rule.fixedLimits ?? choose),
    store,
    clock,
    ...(policy !== undefined && { onFailure: policy }),
  });
  return limiter as RuleLimiter<Kind>;
}

function policyOf(onFailure: OnFailureWord, { asNodeOf }: RuleStore): OnFailure {
  if (onFailure === "allow" || onFailure === "deny") return onFailure;
  return asNodeOf(onFailure === "local" ? 1 : onFailure.nodes);
}

/** Several limiters as one. */
export function combined<Kind extends Kinds>(limiters: readonly RuleLimiter<Kind>[]): RuleLimiter<Kind> {
  const members = limiters as readonly unknown[] as readonly Limiter<Request>[];
  return combine(...members) as unknown as RuleLimiter<Kind>;
}

/** The limiter of requests that no rule counts: they have no key. It never asks its store. */
export function unlimited<Kind extends Kinds>(domain: string, { store, clock }: RuleStore): RuleLimiter<Kind> {
  const common = { name: domain, keyed: true, sources: [], clock, observers: new Observers(undefined), lines: [] };
  const parts = { ...common, blocks: [], close: () => {} };
  const selection = new CombinedSelection<Request, Request, never>([], (request) => request);
  const limiter: unknown =
    store.kind === "sync"
      ? new SyncStoreLimiter<Request>({ ...parts, selection })
      : new AsyncStoreLimiter<Request>({ ...parts, selection, store });
  return limiter as RuleLimiter<Kind>;
}

/** Closes a limiter when its last call has waited long enough, at once if none waits. */
export function closeAfterWaits<Kind extends Kinds>(limiter: RuleLimiter<Kind>): void {
  const [lines] = limiter.lines as readonly Lines<PlannedSpace>[];
  if (lines?.some !== true) {
    void limiter.close();
    return;
  }
  const { onChange } = lines;
  lines.onChange = (some) => {
    onChange(some);
    if (!some) void limiter.close();
  };
}
