/// <reference lib="esnext.disposable" preserve="true" />

import type { Cost } from "../core/cost.ts";
import type { Decision, LimitStatus } from "../core/decision.ts";
import type { Key } from "../core/key.ts";
import type { Limit } from "../core/limits/limit.ts";
import type { BlockOptions, BlockSpan } from "./block-span.ts";
import type { Limiter } from "./limiter.ts";
import type { AcquireOptions, AsyncReservation, ReserveOptions } from "./reservation.ts";
import type { WaitOptions } from "./wait-options.ts";

/** A handle of an `AsyncLimiter`. */
export interface AsyncHandle {
  allow(cost?: Cost): Promise<boolean>;
  consume(cost?: Cost): Promise<Decision>;
  peek(cost?: Cost): Promise<Decision>;
  explain(cost?: Cost): Promise<LimitStatus[]>;
  charge(cost: Cost, decision?: Decision): Promise<Decision>;
  refund(cost: Cost, decision?: Decision): Promise<void>;
  wait(cost?: Cost, options?: WaitOptions): Promise<Decision>;
  reserve(cost?: Cost, options?: ReserveOptions): Promise<AsyncReservation>;
  acquire(cost?: Cost, options?: AcquireOptions): Promise<AsyncReservation>;
  reset(): Promise<void>;
  block(span: BlockSpan, options?: BlockOptions): Promise<void>;
  unblock(): Promise<boolean>;
  blockedUntil(): Promise<number | undefined>;
}

/**
 * The verbs of `Limiter` over an asynchronous store, or over any store with a key or limits that are looked up. Misuse
 * rejects with the errors that `Limiter` throws, and so does a call whose look-up rejects: it counts nothing.
 */
export interface AsyncLimiter<Input = string> {
  readonly kind: "async";
  readonly name: string;
  readonly allow: (input: Input, cost?: Cost) => Promise<boolean>;
  /**
   * Works like `allow`, but answers at once by what this process knows: `true` if the cost was taken, `false` if it is
   * denied. `undefined` if the store has to be asked, and then nothing was taken: ask `allow`. Only a `hybridStore`
   * knows anything, of fixed limits without a look-up, and while no observer is notified of the limiter's calls.
   *
   * Throws as `allow` rejects: `ERR_KEY` or `ERR_COST`.
   *
   * @example
   * ```ts
   * import { Redis } from "ioredis";
   * import { createLimiter, perMinute } from "tollgate";
   * import { hybridStore } from "tollgate/hybrid";
   *
   * const redis = new Redis(process.env["REDIS_URL"] ?? "redis://127.0.0.1:6379");
   * const store = hybridStore({ redis });
   * const limiter = createLimiter({ name: "local", limits: [perMinute(100_000)], store });
   * for (let call = 0; call < 10; call += 1) await limiter.allow("ann");
   * console.log(limiter.allowLocal("bob"), limiter.allowLocal("ann")); // undefined true
   * await store.close();
   * await redis.quit();
   * ```
   */
  readonly allowLocal: (input: Input, cost?: Cost) => boolean | undefined;
  readonly allowMany: (inputs: readonly Input[], out: Uint8Array, cost?: Cost) => Promise<number>;
  /** As the `handle` of `Limiter`. A look-up is made once, at once; if it rejects, every call of the handle does. */
  readonly handle: (input: Input) => AsyncHandle;
  /** As the `byKey` of `Limiter`. It makes no look-up. */
  readonly byKey: (key: Key, limits?: readonly Limit[]) => AsyncHandle;
  readonly consume: (input: Input, cost?: Cost) => Promise<Decision>;
  readonly peek: (input: Input, cost?: Cost) => Promise<Decision>;
  readonly explain: (input: Input, cost?: Cost) => Promise<LimitStatus[]>;
  /**
   * As the `charge` of `Limiter`. With a `decision` that is `degraded`, it charges the fallback that decided; otherwise
   * the store. While the store is unavailable, the failure policy counts the charge as any call, so a debt is not lost.
   */
  readonly charge: (input: Input, cost: Cost, decision?: Decision) => Promise<Decision>;
  /**
   * As the `refund` of `Limiter`. Pass the `decision` that took the units: a store that was unavailable then may be
   * back by now. Units that a fallback took (`degraded`) are given back there. All other units are given back in the
   * store, or not at all if it is unavailable.
   *
   * @example
   * ```ts
   * import { Redis } from "ioredis";
   * import { createLimiter, memoryStore, perMinute } from "tollgate";
   * import { redisStore } from "tollgate/redis";
   *
   * const client = new Redis(process.env["REDIS_URL"] ?? "redis://127.0.0.1:6379");
   * const store = redisStore({ client, onFailure: { fallback: memoryStore(), share: 1 } });
   * const logins = createLimiter({ name: "refunds", limits: [perMinute(3)], store });
   * await logins.allow("ann", 3);
   *
   * store.bypass = true; // as if Redis were down
   * const decision = await logins.consume("ann");
   * store.bypass = false;
   * await logins.refund("ann", 1, decision);
   * console.log(decision.degraded, await logins.allow("ann")); // bypassed false
   * await client.quit();
   * ```
   */
  readonly refund: (input: Input, cost: Cost, decision?: Decision) => Promise<void>;
  /**
   * As the `wait` of `Limiter`. One call of each key and process asks the store at a time, when its last denial said
   * or up to a tenth of the wait later. If the store is unavailable, its failure policy decides: a call that it denies
   * waits on. `maxWait` begins when the key has been looked up.
   */
  readonly wait: (input: Input, cost?: Cost, options?: WaitOptions) => Promise<Decision>;
  /** As the `reserve` of `Limiter`. What settles it is sent in the order of the calls. */
  readonly reserve: (input: Input, cost?: Cost, options?: ReserveOptions) => Promise<AsyncReservation>;
  /** As the `acquire` of `Limiter`. */
  readonly acquire: (input: Input, cost?: Cost, options?: AcquireOptions) => Promise<AsyncReservation>;
  readonly run: Limiter<Input>["run"];
  readonly wrap: Limiter<Input>["wrap"];
  readonly pace: Limiter<Input>["pace"];
  readonly reset: (input: Input) => Promise<void>;
  readonly block: (input: Input, span: BlockSpan, options?: BlockOptions) => Promise<void>;
  readonly unblock: (input: Input) => Promise<boolean>;
  readonly blockedUntil: (input: Input) => Promise<number | undefined>;
  readonly observe: Limiter<Input>["observe"];
  readonly clear: () => Promise<void>;
  readonly sweep: () => Promise<number>;
  readonly size: () => Promise<number>;
  readonly close: () => Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}
