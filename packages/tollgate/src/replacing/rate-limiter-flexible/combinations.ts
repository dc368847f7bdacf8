import type { CallOptions, RateLimiterCompatible } from "./limiter.ts";
import { Denial, denialOf, RateLimiterRes } from "./result.ts";

/**
 * Takes points from several limiters. Rejects with the results of those that deny, by `keyPrefix`.
 *
 * @example
 * ```ts
 * import { RateLimiterMemory, type RateLimiterRes, RateLimiterUnion } from "tollgate/rate-limiter-flexible";
 *
 * const second = new RateLimiterMemory({ keyPrefix: "second", points: 2, duration: 1 });
 * const hour = new RateLimiterMemory({ keyPrefix: "hour", points: 100, duration: 3_600 });
 * const union = new RateLimiterUnion(second, hour);
 * const results = await union.consume("ann", 2);
 * console.log(results["second"]?.remainingPoints, results["hour"]?.remainingPoints); // 0 98
 *
 * const denials = await union.consume("ann").catch((denied: Record<string, RateLimiterRes>) => denied);
 * console.log(Object.keys(denials)); // [ 'second' ]
 * ```
 */
export class RateLimiterUnion {
  readonly #limiters: readonly RateLimiterCompatible[];

  constructor(...limiters: readonly RateLimiterCompatible[]) {
    if (limiters.length === 0) throw new Error("limiters: expected at least one, got none");
    this.#limiters = limiters;
  }

  async consume(key: string | number, points = 1): Promise<Record<string, RateLimiterRes>> {
    const calls = await Promise.allSettled(this.#limiters.map((limiter) => limiter.consume(key, points)));
    const resultsOf = (status: string): Record<string, RateLimiterRes> => {
      const results: Record<string, RateLimiterRes> = {};
      calls.forEach((call, i) => {
        const name = this.#limiters[i]?.keyPrefix ?? "";
        if (call.status === status)
          results[name] = call.status === "fulfilled" ? call.value : (call.reason as RateLimiterRes);
      });
      return results;
    };
    return calls.some(({ status }) => status === "rejected")
      ? Promise.reject(resultsOf("rejected"))
      : resultsOf("fulfilled");
  }
}

/**
 * Takes points from a second limiter when the first one has none left.
 *
 * @example
 * ```ts
 * import { BurstyRateLimiter, RateLimiterMemory } from "tollgate/rate-limiter-flexible";
 *
 * const limiter = new RateLimiterMemory({ points: 2, duration: 1 });
 * const burst = new RateLimiterMemory({ keyPrefix: "burst", points: 3, duration: 10 });
 * const bursty = new BurstyRateLimiter(limiter, burst);
 * for (let i = 0; i < 5; i += 1) await bursty.consume("ann");
 * console.log((await burst.get("ann"))?.remainingPoints); // 0
 *
 * const isAllowed = await bursty.consume("ann").then(
 *   () => true,
 *   () => false,
 * );
 * console.log(isAllowed); // false
 * ```
 */
export class BurstyRateLimiter {
  readonly #limiter: RateLimiterCompatible;
  readonly #burst: RateLimiterCompatible;

  constructor(limiter: RateLimiterCompatible, burst: RateLimiterCompatible) {
    this.#limiter = limiter;
    this.#burst = burst;
  }

  get points(): number {
    return this.#limiter.points;
  }

  async consume(key: string | number, points = 1, options: CallOptions = {}): Promise<RateLimiterRes> {
    const denied = await this.#limiter.consume(key, points, options).catch(denialOf);
    if (!(denied instanceof Denial)) return denied;
    const burst = await this.#burst.consume(key, points, options).catch(denialOf);
    return burst instanceof Denial ? Promise.reject(both(denied.result, burst.result)) : both(denied.result, burst);
  }

  async get(key: string | number): Promise<RateLimiterRes | null> {
    const [result, burst] = await Promise.all([this.#limiter.get(key), this.#burst.get(key)]);
    return result && both(result, burst);
  }
}

function both(result: RateLimiterRes, burst: RateLimiterRes | null): RateLimiterRes {
  const msBeforeNext = Math.min(result.msBeforeNext, burst?.msBeforeNext ?? 0);
  return new RateLimiterRes(result.remainingPoints, msBeforeNext, result.consumedPoints, result.isFirstInDuration);
}
