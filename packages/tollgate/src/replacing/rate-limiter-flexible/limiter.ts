import type { Clock } from "../../core/clock.ts";
import { type Maybe, mapMaybeAsync } from "../../core/maybe-async.ts";
import type { Store } from "../../core/store.ts";
import type { StoreClient } from "../../stores/redis/clients/store-client.ts";
import { redisStore } from "../../stores/redis/redis-store.ts";
import { HitCounter, type Hits, LONGEST_MS } from "../hit-counter.ts";
import { delay, RateLimiterRes } from "./result.ts";

const DEFAULT_PREFIX = "rlflx";
/** What the limiters over Redis are called there: their keys begin with `keyPrefix`. */
export const NAME = "rate-limiter-flexible";

type InsuredVerb = "consume" | "penalty" | "reward" | "get" | "set" | "delete";
/** What unions, bursts and insurances need of a limiter. */
export type RateLimiterCompatible = Pick<RateLimiterStore, InsuredVerb | "points" | "keyPrefix">;

/** The options of a call: another duration in seconds, for a key that begins to count with it. */
export interface CallOptions {
  readonly customDuration?: number;
}

/** The options that all limiters have. Durations are seconds. */
export interface RateLimiterOptions {
  readonly points: number;
  /** 0 for counts that never end. */
  readonly duration: number;
  readonly blockDuration?: number;
  readonly execEvenly?: boolean;
  readonly execEvenlyMinDelayMs?: number;
  readonly keyPrefix?: string;
  readonly clock?: Clock;
}

/** The options of a limiter over a store. */
export interface RateLimiterStoreOptions extends RateLimiterOptions {
  /** A memory store of its own by default. */
  readonly store?: Store;
  readonly inMemoryBlockOnConsumed?: number;
  readonly inMemoryBlockDuration?: number;
  /** Decides while the store is unavailable. */
  readonly insuranceLimiter?: RateLimiterCompatible;
}

/** The options of a limiter over Redis. */
export interface RateLimiterRedisOptions extends Omit<RateLimiterStoreOptions, "store"> {
  readonly storeClient: StoreClient;
}

/**
 * The interface of rate-limiter-flexible over any store of Tollgate.
 *
 * @throws Error for points or a duration that are no numbers.
 * @example
 * ```ts
 * import { RateLimiterStore } from "tollgate/rate-limiter-flexible";
 * import { tableStore } from "tollgate/table";
 *
 * const limiter = new RateLimiterStore({ points: 5, duration: 60, store: tableStore({ maxKeys: 1_000_000 }) });
 * console.log((await limiter.consume("ann", 2)).remainingPoints); // 3
 * ```
 */
export class RateLimiterStore {
  points: number;
  duration: number;
  blockDuration: number;
  execEvenly: boolean;
  execEvenlyMinDelayMs: number;
  readonly keyPrefix: string;
  readonly insuranceLimiter: RateLimiterCompatible | undefined;
  protected readonly counter: HitCounter;
  readonly #blockAt: number;
  readonly #blockMs: number;
  readonly #blocked = new HitCounter();

  constructor(options: RateLimiterStoreOptions) {
    const { points, duration, blockDuration = 0, execEvenly = false, keyPrefix = DEFAULT_PREFIX } = options;
    if (!Number.isFinite(points)) throw new Error(`points: expected a number, got ${points}`);
    if (!(Number.isFinite(duration) && duration >= 0)) throw new Error(`duration: expected seconds, got ${duration}`);
    if (typeof keyPrefix !== "string") throw new Error(`keyPrefix: expected text, got ${typeof keyPrefix}`);
    this.points = points;
    this.duration = duration;
    this.blockDuration = blockDuration;
    this.execEvenly = execEvenly;
    this.execEvenlyMinDelayMs = options.execEvenlyMinDelayMs ?? Math.ceil((duration * 1_000) / points);
    this.keyPrefix = keyPrefix;
    this.#blockAt = options.inMemoryBlockOnConsumed ?? 0;
    this.#blockMs = 1_000 * (options.inMemoryBlockDuration ?? 0);
    if (this.#blockAt > 0 && points > this.#blockAt)
      throw new Error(`inMemoryBlockOnConsumed: expected at least the points, got ${this.#blockAt}`);
    this.insuranceLimiter = options.insuranceLimiter;
    if (this.insuranceLimiter !== undefined) Object.assign(this.insuranceLimiter, { blockDuration, execEvenly });
    this.counter = new HitCounter({ ...options, name: NAME });
  }

  getKey(key: string | number): string {
    return this.keyPrefix === "" ? String(key) : `${this.keyPrefix}:${key}`;
  }

  parseKey(fullKey: string): string {
    return this.keyPrefix === "" ? fullKey : fullKey.slice(this.keyPrefix.length + 1);
  }

  /** Takes points. Rejects with a `RateLimiterRes` beyond the points, and with an Error if the store fails. */
  consume(key: string | number, points = 1, options: CallOptions = {}): Promise<RateLimiterRes> {
    return this.#insured("consume", [key, points, options], async () => {
      const fullKey = this.getKey(key);
      const blocked = this.#blockAt > 0 ? await this.#blocked.read(fullKey, 1) : undefined;
      if (blocked !== undefined) return Promise.reject(new RateLimiterRes(0, Math.round(blocked.resetMs)));
      return this.#consumed(fullKey, points, await this.#add(key, points, options));
    });
  }

  /** Takes points, whether or not they are there. */
  penalty(key: string | number, points = 1, options: CallOptions = {}): Promise<RateLimiterRes> {
    return this.#insured("penalty", [key, points, options], async () => this.#add(key, points, options));
  }

  /** Gives points back, also in advance. */
  reward(key: string | number, points = 1, options: CallOptions = {}): Promise<RateLimiterRes> {
    return this.#insured("reward", [key, points, options], async () => this.#add(key, -points, options));
  }

  /** The state of a key; null for a new one. */
  get(key: string | number): Promise<RateLimiterRes | null> {
    return this.#insured("get", [key], async () => {
      const hits = await this.counter.read(this.getKey(key), msOf(this.duration));
      return hits === undefined ? null : this.#result({ ...hits, isFirst: false });
    });
  }

  /** Sets the points that a key has consumed, for so many seconds. */
  set(key: string | number, points: number, secDuration: number): Promise<RateLimiterRes> {
    const seconds = secDuration >= 0 ? secDuration : this.duration;
    return this.#insured("set", [key, points, seconds], async () => {
      await this.counter.set(this.getKey(key), Math.trunc(points), msOf(seconds));
      return new RateLimiterRes(0, seconds > 0 ? seconds * 1_000 : -1, points);
    });
  }

  /** Denies a key for so many seconds. */
  block(key: string | number, secDuration: number): Promise<RateLimiterRes> {
    return this.set(key, this.points + 1, secDuration);
  }

  /** Forgets a key, and says whether it was known. */
  delete(key: string | number): Promise<boolean> {
    return this.#insured("delete", [key], async () => {
      const known = await this.counter.read(this.getKey(key), msOf(this.duration));
      await this.#blocked.reset(this.getKey(key));
      await this.counter.reset(this.getKey(key));
      return known !== undefined;
    });
  }

  /** Forgets what `inMemoryBlockOnConsumed` has blocked. */
  deleteInMemoryBlockedAll(): void {
    void this.#blocked.clear({ blocks: true });
  }

  #add(key: string | number, points: number, { customDuration }: CallOptions): Maybe<RateLimiterRes> {
    const fullKey = this.getKey(key);
    const windowMs = msOf(this.duration);
    const ownMs = customDuration !== undefined && customDuration >= 0 ? msOf(customDuration) : windowMs;
    const add = () => this.counter.add(fullKey, points, windowMs);
    // A key that is known keeps its duration. Two processes that begin at one moment may lose one of their calls.
    const begin = (known: Hits | undefined) => (known === undefined ? this.counter.set(fullKey, points, ownMs) : add());
    const hits = ownMs === windowMs ? add() : mapMaybeAsync(this.counter.read(fullKey, windowMs), begin);
    return mapMaybeAsync(hits, (counted) => this.#result(counted));
  }

  async #consumed(fullKey: string, points: number, result: RateLimiterRes): Promise<RateLimiterRes> {
    const { consumedPoints, isFirstInDuration } = result;
    const isOver = consumedPoints > this.points;
    if (isOver && this.blockDuration > 0 && consumedPoints <= this.points + points) {
      result.msBeforeNext = this.blockDuration * 1_000;
      result.isFirstInDuration = true;
      await this.counter.set(fullKey, consumedPoints, result.msBeforeNext);
    }
    if (this.#blockAt > 0 && consumedPoints >= this.#blockAt && (isOver || this.#blockMs === 0)) {
      if (this.#blockMs > 0) result.msBeforeNext = this.#blockMs;
      await this.#blocked.set(fullKey, 1, result.msBeforeNext);
    }
    if (isOver) return Promise.reject(result);
    if (this.execEvenly && result.msBeforeNext > 0 && !isFirstInDuration) {
      const evenMs = Math.ceil(result.msBeforeNext / (result.remainingPoints + 2));
      const delayMs = evenMs < this.execEvenlyMinDelayMs ? consumedPoints * this.execEvenlyMinDelayMs : evenMs;
      result.msBeforeNext = Math.max(0, result.msBeforeNext - delayMs);
      await delay(delayMs);
    }
    return result;
  }

  #result({ count, resetMs, isFirst }: Hits): RateLimiterRes {
    const msBeforeNext = isForever(resetMs) ? -1 : Math.round(resetMs);
    return new RateLimiterRes(Math.max(0, this.points - count), msBeforeNext, count, isFirst);
  }

  /** The insurance answers in place of a store that fails. */
  async #insured<Verb extends InsuredVerb, T>(
    verb: Verb,
    parameters: Parameters<RateLimiterCompatible[Verb]>,
    work: () => Promise<T>,
  ): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof RateLimiterRes || this.insuranceLimiter === undefined) return Promise.reject(error);
      const instead = this.insuranceLimiter[verb] as (...parameters: readonly unknown[]) => Promise<T>;
      return instead.apply(this.insuranceLimiter, parameters);
    }
  }
}

/**
 * The interface of their `RateLimiterRedis`, over `redisStore`. Its keys are others than theirs.
 *
 * @example
 * ```ts
 * import { Redis } from "ioredis";
 * import { RateLimiterMemory, RateLimiterRedis } from "tollgate/rate-limiter-flexible";
 *
 * const storeClient = new Redis(process.env["REDIS_URL"] ?? "redis://127.0.0.1:6379");
 * const insuranceLimiter = new RateLimiterMemory({ points: 1, duration: 60 });
 * const limiter = new RateLimiterRedis({ storeClient, keyPrefix: "login", points: 5, duration: 60, insuranceLimiter });
 * console.log((await limiter.consume("ann", 2)).remainingPoints); // 3
 * await storeClient.quit();
 * ```
 */
export class RateLimiterRedis extends RateLimiterStore {
  constructor({ storeClient, ...options }: RateLimiterRedisOptions) {
    // Blocks that other processes end are not remembered here.
    const others = { denyCache: false, onFailure: "throw", timeout: "1s", connectTimeout: 0 } as const;
    super({ ...options, store: redisStore({ client: storeClient, ...others }) });
  }
}

export function msOf(seconds: number): number {
  return seconds > 0 ? seconds * 1_000 : LONGEST_MS;
}

export function isForever(resetMs: number): boolean {
  return resetMs > LONGEST_MS / 2;
}
