import type { Clock } from "../../core/clock.ts";
import type { Cost } from "../../core/cost.ts";
import type { Decision } from "../../core/decision.ts";
import type { Key } from "../../core/key.ts";
import type { AsyncStore, SyncStore } from "../../core/store.ts";
import type { BlockOptions, BlockSpan } from "../../limiter/block-span.ts";
import { combine } from "../../limiter/combine.ts";
import { createLimiter } from "../../limiter/create-limiter.ts";
import type { Result } from "../../limiter/handle.ts";
import type { Limiter } from "../../limiter/limiter.ts";
import type { ReservationOf, ReserveOptions } from "../../limiter/reservation.ts";
import type { Request } from "./request.ts";
import type { Rule } from "./rule.ts";

/** The verbs of a limiter's handle, whatever its store. */
export interface HandleVerbs<Kind extends "sync" | "async"> {
  consume(cost?: Cost): Result<Kind, Decision>;
  peek(cost?: Cost): Result<Kind, Decision>;
  charge(cost: Cost, decision?: Decision): Result<Kind, Decision>;
  refund(cost: Cost, decision?: Decision): Result<Kind, void>;
  reserve(cost?: Cost, options?: ReserveOptions): Result<Kind, ReservationOf<Kind>>;
  reset(): Result<Kind, void>;
  block(span: BlockSpan, options?: BlockOptions): Result<Kind, void>;
  unblock(): Result<Kind, boolean>;
  blockedUntil(): Result<Kind, number | undefined>;
}

/** The verbs of a limiter of requests, whatever its store. */
export interface RuleLimiter<Kind extends "sync" | "async"> {
  readonly name: string;
  consume(request: Request, cost?: Cost): Result<Kind, Decision>;
  peek(request: Request, cost?: Cost): Result<Kind, Decision>;
  handle(request: Request): HandleVerbs<Kind>;
  byKey(key: Key): HandleVerbs<Kind>;
  close(): Result<Kind, void>;
}

/** Where the limiters of a file count. */
export interface RuleStore {
  readonly store: SyncStore | AsyncStore;
  readonly clock?: Clock;
}

/** The limiter of a rule. Its keys belong to the names of the domain and the rule. */
export function limiterOf<Kind extends "sync" | "async">(
  domain: string,
  rule: Rule,
  where: RuleStore,
): RuleLimiter<Kind> {
  const limiter = createLimiter({
    name: `${domain}/${rule.name}`,
    key: (request: Request) => rule.keyOf(request),
    limits: rule.fixedLimits ?? ((request: Request) => rule.limitsOf(rule.choose(request).choice)),
    ...where,
  });
  return limiter as unknown as RuleLimiter<Kind>;
}

/** Several limiters as one. */
export function combined<Kind extends "sync" | "async">(limiters: readonly RuleLimiter<Kind>[]): RuleLimiter<Kind> {
  const members = limiters as unknown as readonly Limiter<Request>[];
  return combine(...members) as unknown as RuleLimiter<Kind>;
}

/** The limiter of requests that no rule counts. It never asks an asynchronous store. */
export function unlimited<Kind extends "sync" | "async">(
  domain: string,
  { store, clock }: RuleStore,
): RuleLimiter<Kind> {
  const common = {
    name: domain,
    key: (): Key => "all",
    limits: () => "unlimited" as const,
    ...(clock !== undefined && { clock }),
  };
  const limiter =
    store.kind === "sync" ? createLimiter({ ...common, store }) : createLimiter({ ...common, async: true });
  return limiter as unknown as RuleLimiter<Kind>;
}
