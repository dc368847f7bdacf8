import type { Decision, Limit } from "tollgate";
import type { Facts, JointDecision, Limits, RequestWithCost } from "tollgate/config";
import { rateLimitHeaders } from "tollgate/node";
import type { RecentRequests } from "../limits/recent-requests.ts";
import {
  type CurrentLimit,
  type DescriptorStatus,
  type HeaderValue,
  OK,
  OVER_LIMIT,
  type RateLimitDescriptor,
  type RateLimitRequest,
  type RateLimitResponse,
} from "./messages.ts";
import { checkRequest, type RateLimitDecider, statedHits, UNLIMITED_REMAINING } from "./rate-limit-decider.ts";
import { unitNumberOfLength } from "./units.ts";

/** A descriptor without a limit. */
const UNCOUNTED: DescriptorStatus = { code: OK, limitRemaining: UNLIMITED_REMAINING };

/** The entry in which Envoy's action `remote_address` tells the client's address. */
const ADDRESS = "remote_address";

/**
 * Decides requests of Envoy's protocol by limits files. Each descriptor is a request whose facts are its entries. All
 * descriptors of a request are counted or none.
 */
export class LimitsDecider implements RateLimitDecider {
  readonly #limits: Limits<"async">;
  readonly #recent: RecentRequests | undefined;

  /** `recent` notes what was counted: each descriptor as a request of its own. */
  constructor(limits: Limits | Limits<"async">, recent?: RecentRequests) {
    // `await` takes results of both kinds.
    this.#limits = limits as Limits<"async">;
    this.#recent = recent;
  }

  async decide(request: RateLimitRequest): Promise<RateLimitResponse> {
    checkRequest(request);
    const { domain, descriptors } = request;
    if (!this.#limits.domains.includes(domain)) return { overallCode: OK, statuses: descriptors.map(() => UNCOUNTED) };
    const asked = descriptors.map((descriptor) => askedOf(request, descriptor));
    const [only] = asked;
    if (only?.verb === "consume" && asked.length === 1) {
      // The usual request. A joint decision of one descriptor takes a third longer.
      const decision = await this.#limits.consume(domain, only.facts, only.cost);
      this.#recent?.note(domain, only.facts, only.cost, "consume");
      return responseOf(decision, [decision]);
    }
    const counted = asked.filter(({ verb }) => verb === "consume");
    const taken = counted.length === 0 ? undefined : await this.#limits.consumeAll(domain, counted);
    for (const { facts, cost } of counted) this.#recent?.note(domain, facts, cost, "consume");
    const decisions = await this.#withOthers(domain, asked, taken);
    return responseOf(taken?.decision ?? decisions[0]!, decisions);
  }

  /** Asks for all descriptors before it awaits one, so that a store elsewhere gets them as one batch. */
  #withOthers(domain: string, asked: readonly Asked[], taken: JointDecision | undefined): Promise<readonly Decision[]> {
    const parts = (taken?.parts ?? []).values();
    const isAllowed = taken?.decision.allowed !== false;
    return Promise.all(
      asked.map(async (one) => {
        const part = one.verb === "consume" ? parts.next().value : undefined;
        return part ?? (await this.#askAlone(domain, one, isAllowed));
      }),
    );
  }

  /** Looks, or gives hits back unless the request is denied. */
  async #askAlone(domain: string, { facts, cost, verb }: Asked, isAllowed: boolean): Promise<Decision> {
    if (verb === "refund" && isAllowed) await this.#limits.refund(domain, facts, cost ?? 1);
    return this.#limits.peek(domain, facts, 0);
  }
}

interface Asked extends RequestWithCost {
  readonly verb: "consume" | "peek" | "refund";
  readonly cost: number | undefined;
}

function askedOf(request: RateLimitRequest, descriptor: RateLimitDescriptor): Asked {
  const cost = statedHits(request, descriptor);
  const verb = cost === 0 ? "peek" : descriptor.isNegativeHits ? "refund" : "consume";
  return { verb, cost, facts: factsOf(descriptor) };
}

/** The entries by key. A key that comes twice has both values, as headers do. */
function factsOf({ entries }: RateLimitDescriptor): Facts {
  const values = new Map<string, string>();
  for (const { key, value } of entries) {
    const before = values.get(key);
    values.set(key, before === undefined ? value : `${before}, ${value}`);
  }
  const ip = values.get(ADDRESS);
  return { descriptor: (name: string) => values.get(name), ...(ip !== undefined && { ip }) };
}

/** `whole` is the decision on all descriptors, which the headers tell. */
function responseOf(whole: Decision, decisions: readonly Decision[]): RateLimitResponse {
  let overallCode = OK;
  let degraded: string | undefined;
  for (const decision of decisions) {
    if (!decision.allowed) overallCode = OVER_LIMIT;
    degraded ??= decision.degraded;
  }
  const headers: HeaderValue[] = [];
  for (const [key, value] of rateLimitHeaders(whole)) headers.push({ key, value });
  return {
    overallCode,
    statuses: decisions.map(statusOf),
    ...(headers.length > 0 && { responseHeadersToAdd: headers }),
    // For the access log of the proxy: why the store was unavailable.
    ...(degraded !== undefined && { dynamicMetadata: { degraded } }),
  };
}

function statusOf(decision: Decision): DescriptorStatus {
  const { allowed, limit, limitRemaining = 0 } = decision;
  const code = allowed ? OK : OVER_LIMIT;
  if (limit === undefined) return allowed ? UNCOUNTED : { code, limitRemaining: 0 };
  return {
    code,
    currentLimit: currentLimitOf(limit),
    limitRemaining: Math.min(limitRemaining, UNLIMITED_REMAINING),
    durationUntilReset: { seconds: Math.ceil(waitOf(decision) / 1_000) },
  };
}

/** Until more is available, as the RateLimit headers tell it. */
function waitOf({ allowed, limitRemaining, retryAfterMs, resetMs }: Decision): number {
  if (!allowed) return Number.isFinite(retryAfterMs) ? retryAfterMs : resetMs;
  return limitRemaining === 0 && retryAfterMs > 0 ? retryAfterMs : resetMs;
}

/** The protocol knows few windows. A limit with another one has no unit, and its capacity as the number. */
function currentLimitOf(limit: Limit): CurrentLimit {
  const { name, capacity } = limit;
  const isBucket = limit.algorithm === "token-bucket";
  const lengthMs = isBucket ? limit.perMs : "windowMs" in limit ? limit.windowMs : undefined;
  const unit = unitNumberOfLength(lengthMs);
  return {
    name,
    requestsPerUnit: Math.min(unit !== 0 && isBucket ? limit.refill : capacity, UNLIMITED_REMAINING),
    unit,
  };
}
