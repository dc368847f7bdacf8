import { createHash } from "node:crypto";
import {
  type AsyncLimiter,
  type Clock,
  createLimiter,
  type Decision,
  type FixedWindowLimit,
  type Limiter,
  type Store,
} from "tollgate";
import { RequestError } from "../http/request-error.ts";
import type { Configuration } from "./configuration.ts";
import type { Match } from "./descriptor-tree.ts";
import {
  type DescriptorStatus,
  OK,
  OVER_LIMIT,
  type RateLimitDescriptor,
  type RateLimitRequest,
  type RateLimitResponse,
} from "./messages.ts";
import { checkRequest, type RateLimitDecider, statedHits, UNLIMITED_REMAINING } from "./rate-limit-decider.ts";
import { makeRule, type Rule } from "./rule.ts";
import { unitOf } from "./units.ts";

export interface RateLimitsOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly configuration: Configuration;
  /** Counts as always, and answers OK. */
  readonly shadow?: boolean;
}

/** A key with longer parts is kept as a hash. */
const MOST_KEY_LENGTH = 256;

/** A descriptor under its rule, and what it adds to the count. */
interface Counted {
  readonly key: readonly string[];
  readonly limits: readonly FixedWindowLimit[];
  readonly hits: number;
  /** Whether the hits are given back. */
  readonly isNegative: boolean;
}

/** Decides requests of Envoy as its reference service does: each descriptor counts, also when it is over its limit. */
export class RateLimits implements RateLimitDecider {
  readonly limiter: Limiter<Counted> | AsyncLimiter<Counted>;
  readonly #clock: Clock;
  readonly #shadow: boolean;
  #configuration: Configuration;

  constructor({ store, clock, configuration, shadow = false }: RateLimitsOptions) {
    this.limiter = createLimiter({
      name: "envoy",
      key: ({ key }: Counted) => key,
      limits: ({ limits }) => limits,
      // A change of `requests_per_unit` keeps what was counted in the window.
      onChange: "carry-over",
      store,
      clock,
    });
    this.#clock = clock;
    this.#configuration = configuration;
    this.#shadow = shadow;
  }

  get configuration(): Configuration {
    return this.#configuration;
  }

  /** Requests that are under way keep the configuration with which they began. */
  replace(configuration: Configuration): void {
    this.#configuration = configuration;
  }

  async decide(request: RateLimitRequest): Promise<RateLimitResponse> {
    checkRequest(request);
    const { domain, descriptors } = request;
    const matches = withoutReplaced(descriptors.map((descriptor) => this.#match(domain, descriptor)));
    // All begin in order before one of them waits: a store elsewhere gets them as one batch.
    const decisions = await Promise.all(
      matches.map(async (match, i) => {
        const counted = hitsOf(request, descriptors[i]!, match);
        // `await` takes results of both kinds.
        return counted && count(this.limiter as AsyncLimiter<Counted>, counted);
      }),
    );
    return this.#respond(matches, decisions);
  }

  #match(domain: string, { limit, entries }: RateLimitDescriptor): Match | undefined {
    const tree = this.#configuration.get(domain);
    if (tree === undefined) return undefined;
    const unit = limit ? unitOf(limit.unit) : undefined;
    if (!limit || unit === undefined) return tree.match(entries);
    const rule = makeRule({ unit, requestsPerUnit: limit.requestsPerUnit });
    return { rule, parts: entries.flatMap(({ key, value }) => [key, value]) };
  }

  #respond(matches: readonly (Match | undefined)[], decisions: readonly (Decision | undefined)[]): RateLimitResponse {
    const nowMs = this.#clock.now();
    const statuses = matches.map((match, i) => statusOf(match?.rule, decisions[i], nowMs));
    const over = !this.#shadow && isOver(matches, statuses);
    const overallCode = over ? OVER_LIMIT : OK;
    if (!matches.some((match) => match?.rule.metadata !== undefined)) return { overallCode, statuses };
    const metadata = matches.flatMap((match) => Object.entries(match?.rule.metadata ?? {}));
    return {
      overallCode,
      statuses,
      ...(metadata.length > 0 && { dynamicMetadata: Object.fromEntries(metadata) }),
    };
  }
}

/** A rule that another one of the request replaces does not count. */
function withoutReplaced(matches: readonly (Match | undefined)[]): readonly (Match | undefined)[] {
  if (!matches.some((match) => match !== undefined && match.rule.replaces.length > 0)) return matches;
  const replaced = new Set(matches.flatMap((match) => match?.rule.replaces ?? []));
  return matches.map((match) => (match !== undefined && replaced.has(match.rule.name) ? undefined : match));
}

/** `undefined` without a count. The descriptor's hits come first, then the request's, of which 0 means 1. */
function hitsOf(
  request: RateLimitRequest,
  descriptor: RateLimitDescriptor,
  match: Match | undefined,
): Counted | undefined {
  if (match?.rule.limits === undefined) return undefined;
  return {
    key: keyOf(request.domain, match.parts),
    limits: match.rule.limits,
    hits: statedHits(request, descriptor) ?? 1,
    isNegative: descriptor.isNegativeHits,
  };
}

/**
 * The key of a count. Long values, which clients can choose, are replaced by their hash. Parts come in pairs, so a key
 * with a hash has another length than one without.
 */
function keyOf(domain: string, parts: readonly string[]): readonly string[] {
  let length = 0;
  for (const part of parts) length += part.length;
  if (length <= MOST_KEY_LENGTH) return [domain, ...parts];
  return [domain, createHash("sha256").update(JSON.stringify(parts)).digest("base64")];
}

async function count(limiter: AsyncLimiter<Counted>, counted: Counted): Promise<Decision> {
  const { hits, isNegative } = counted;
  if (hits > 0 && !isNegative) return limiter.charge(counted, hits);
  if (hits > 0) await limiter.refund(counted, hits);
  return limiter.peek(counted, 0);
}

function statusOf(rule: Rule | undefined, decision: Decision | undefined, nowMs: number): DescriptorStatus {
  if (rule?.unlimited) return { code: OK, limitRemaining: UNLIMITED_REMAINING };
  if (rule?.window === undefined) return { code: OK, limitRemaining: 0 };
  if (decision?.degraded !== undefined && decision.remaining === undefined) {
    throw new RequestError(503, `the store is unavailable: ${decision.degraded}`);
  }
  // A limit of 0 has no count, and is always over.
  const over = decision?.allowed !== true;
  const { currentLimit, lengthMs } = rule.window;
  return {
    code: over && !rule.shadow ? OVER_LIMIT : OK,
    currentLimit,
    limitRemaining: over ? 0 : (decision.limitRemaining ?? 0),
    durationUntilReset: { seconds: Math.ceil((lengthMs - (nowMs % lengthMs)) / 1_000) },
  };
}

/** Over if any ordinary limit is, or if all quotas are. */
function isOver(matches: readonly (Match | undefined)[], statuses: readonly DescriptorStatus[]): boolean {
  if (statuses.every(({ code }) => code === OK)) return false;
  const quotas = statuses.filter((_, i) => matches[i]?.rule.quota === true);
  const others = statuses.filter((_, i) => matches[i]?.rule.quota !== true);
  return others.some(isOverLimit) || (quotas.length > 0 && quotas.every(isOverLimit));
}

function isOverLimit({ code }: DescriptorStatus): boolean {
  return code === OVER_LIMIT;
}
