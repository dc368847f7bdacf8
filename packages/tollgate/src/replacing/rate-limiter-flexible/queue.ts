import type { RateLimiterCompatible } from "./limiter.ts";
import { Denial, delay, denialOf } from "./result.ts";

const DEFAULT_QUEUE = "limiter";

/**
 * A call of a queue that cannot be served.
 *
 * @example
 * ```ts
 * import { RateLimiterMemory, RateLimiterQueue, RateLimiterQueueError } from "tollgate/rate-limiter-flexible";
 *
 * const queue = new RateLimiterQueue(new RateLimiterMemory({ points: 2, duration: 1 }));
 * try {
 *   await queue.removeTokens(3);
 * } catch (error) {
 *   if (!(error instanceof RateLimiterQueueError)) throw error;
 *   console.log(error.message); // tokens: expected at most 2, got 3
 * }
 * ```
 */
export class RateLimiterQueueError extends Error {
  override readonly name = "RateLimiterQueueError";
  readonly extra: unknown;

  constructor(message?: string, extra?: unknown) {
    super(message);
    this.extra = extra;
  }
}

/** What a queue needs of its limiter: a `BurstyRateLimiter` has it, too. */
export type QueuedLimiter = Pick<RateLimiterCompatible, "points" | "consume" | "get">;

/** The options of a queue. */
export interface RateLimiterQueueOptions {
  /** How many calls may wait for one key. */
  readonly maxQueueSize?: number;
}

/**
 * Lets calls wait for points, first come, first served for each key.
 *
 * @example
 * ```ts
 * import { RateLimiterMemory, RateLimiterQueue } from "tollgate/rate-limiter-flexible";
 *
 * const queue = new RateLimiterQueue(new RateLimiterMemory({ points: 2, duration: 1 }), { maxQueueSize: 100 });
 * console.log(await queue.removeTokens(1, "ann"), await queue.removeTokens(1, "ann")); // 1 0
 * console.log(await queue.getTokensRemaining("ann")); // 0
 * // The next call for this key would wait until the second is over.
 * ```
 */
export class RateLimiterQueue {
  readonly #limiter: QueuedLimiter;
  readonly #maxQueueSize: number;
  readonly #lines = new Map<string | number, { waiting: number; last: Promise<unknown> }>();

  constructor(limiter: QueuedLimiter, { maxQueueSize = 2 ** 32 - 1 }: RateLimiterQueueOptions = {}) {
    this.#limiter = limiter;
    this.#maxQueueSize = maxQueueSize;
  }

  async getTokensRemaining(key: string | number = DEFAULT_QUEUE): Promise<number> {
    return (await this.#limiter.get(key))?.remainingPoints ?? this.#limiter.points;
  }

  /** Resolves with the points that are left, when the tokens have been taken. */
  async removeTokens(tokens: number, key: string | number = DEFAULT_QUEUE): Promise<number> {
    const { points } = this.#limiter;
    if (tokens > points) throw new RateLimiterQueueError(`tokens: expected at most ${points}, got ${tokens}`);
    if (this.#lines.has(key)) return this.#wait(tokens, key, 0);
    const taken = await this.#limiter.consume(key, tokens).catch(denialOf);
    return taken instanceof Denial ? this.#wait(tokens, key, taken.result.msBeforeNext) : taken.remainingPoints;
  }

  async #wait(tokens: number, key: string | number, afterMs: number): Promise<number> {
    const line = this.#lines.get(key) ?? { waiting: 0, last: delay(afterMs) };
    if (line.waiting >= this.#maxQueueSize)
      throw new RateLimiterQueueError(`queue: expected room for another call, got its maximum ${this.#maxQueueSize}`);
    this.#lines.set(key, line);
    line.waiting += 1;
    const turn = line.last.then(() => this.#take(tokens, key));
    const left = () => {
      line.waiting -= 1;
      if (line.waiting === 0) this.#lines.delete(key);
    };
    line.last = turn.then(left, left);
    return turn;
  }

  async #take(tokens: number, key: string | number): Promise<number> {
    for (;;) {
      const taken = await this.#limiter.consume(key, tokens).catch(denialOf);
      if (!(taken instanceof Denial)) return taken.remainingPoints;
      await delay(taken.result.msBeforeNext);
    }
  }
}
