import { type SlidingWindowOptions, slidingWindow } from "../../algorithms/limits/sliding-window.ts";
import type { Decision } from "../../core/decision.ts";
import type { AsyncStore, SyncStore } from "../../core/store.ts";
import { createLimiter } from "../../limiter/create-limiter.ts";

/** Where the storage counts. */
export interface ThrottlerStorageOptions {
  /** A store of this process or elsewhere, such as `redisStore`; by default a `memoryStore` of its own. */
  readonly store?: SyncStore | AsyncStore;
  /** The limiter's name: `"throttler"` by default. Storages of one name on one store share their keys. */
  readonly name?: string;
}

/** What `@nestjs/throttler` is told of a hit, in whole seconds. */
interface Hit {
  totalHits: number;
  timeToExpire: number;
  isBlocked: boolean;
  timeToBlockExpire: number;
}

interface Asked {
  readonly key: string;
  readonly throttler: string;
  readonly limit: SlidingWindowOptions;
}

/**
 * Makes a `ThrottlerStorage` for `@nestjs/throttler`: over any store of this library, counted atomically, without a
 * timer. A hit counts for its `ttl`, and a denied one not at all. Above 64 hits, those within a 64th of the `ttl` leave
 * together.
 *
 * @throws TollgateError `ERR_OPTION` or `ERR_NAME` when an option is not what is expected.
 * @example
 * ```ts
 * import { Module } from "@nestjs/common";
 * import { ThrottlerModule } from "@nestjs/throttler";
 * import { memoryStore } from "tollgate";
 * import { throttlerStorage } from "tollgate/nestjs";
 *
 * const storage = throttlerStorage({ store: memoryStore() });
 * @Module({ imports: [ThrottlerModule.forRoot({ throttlers: [{ ttl: 60_000, limit: 100 }], storage })] })
 * export class AppModule {}
 *
 * // What the throttler asks for each request.
 * const hit = async () => (await storage.increment("ann", 60_000, 1, 0, "default")).isBlocked;
 * console.log(await hit(), await hit()); // false true
 * ```
 */
export function throttlerStorage({ store, name = "throttler" }: ThrottlerStorageOptions = {}): {
  increment(key: string, ttl: number, limit: number, blockDuration: number, throttlerName: string): Promise<Hit>;
} {
  const limiter = createLimiter({
    name,
    key: ({ key, throttler }: Asked) => [throttler, key],
    // Limits may be functions of a request: then each may have other numbers.
    limits: ({ limit }: Asked) => [slidingWindow(limit)],
    ...(store !== undefined && { store: store as AsyncStore }),
  });
  return {
    async increment(key, ttl, limit, blockDuration, throttler) {
      const [most, window] = [Math.floor(limit), Math.max(1, ttl)];
      if (most < 1) return denied(most, Math.max(window, blockDuration));
      const block = blockDuration > 0 && { blockFor: blockDuration };
      const asked = { key, throttler, limit: { name: "hits", limit: most, window, ...block } };
      const decision: Decision = await limiter.consume(asked);
      if (decision.allowed) {
        const totalHits = decision.used ?? 1;
        return { totalHits, timeToExpire: inSeconds(decision.resetMs), isBlocked: false, timeToBlockExpire: 0 };
      }
      // A key that was blocked starts anew: the hits before would outlast a short block.
      if (decision.reason === "exhausted" && blockDuration > 0 && blockDuration < window) await limiter.reset(asked);
      return denied(most, decision.block?.endsInMs ?? decision.retryAfterMs);
    },
  };
}

function denied(limit: number, leftMs: number): Hit {
  const seconds = inSeconds(leftMs);
  return { totalHits: limit + 1, timeToExpire: seconds, isBlocked: true, timeToBlockExpire: seconds };
}

function inSeconds(ms: number): number {
  return Math.ceil(ms / 1000);
}
