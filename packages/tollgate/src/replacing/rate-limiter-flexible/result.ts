/** The longest delay of a timer. */
const LONGEST_DELAY_MS = 2 ** 31 - 1;

/**
 * The state of a key. Calls beyond the points reject with it: it is no Error.
 *
 * @example
 * ```ts
 * import { RateLimiterMemory, RateLimiterRes } from "tollgate/rate-limiter-flexible";
 *
 * const limiter = new RateLimiterMemory({ points: 1, duration: 60 });
 * await limiter.consume("ann");
 * try {
 *   await limiter.consume("ann");
 * } catch (denied) {
 *   if (!(denied instanceof RateLimiterRes)) throw denied; // the store has failed
 *   console.log(denied.remainingPoints, denied.msBeforeNext); // 0 60000
 * }
 * ```
 */
export class RateLimiterRes {
  remainingPoints: number;
  /** Milliseconds until the points are renewed; -1 if they never are. */
  msBeforeNext: number;
  consumedPoints: number;
  isFirstInDuration: boolean;

  constructor(remainingPoints = 0, msBeforeNext = 0, consumedPoints = 0, isFirstInDuration = false) {
    this.remainingPoints = remainingPoints;
    this.msBeforeNext = msBeforeNext;
    this.consumedPoints = consumedPoints;
    this.isFirstInDuration = isFirstInDuration;
  }

  toJSON(): object {
    const { remainingPoints, msBeforeNext, consumedPoints, isFirstInDuration } = this;
    return { remainingPoints, msBeforeNext, consumedPoints, isFirstInDuration };
  }

  toString(): string {
    return JSON.stringify(this);
  }
}

/** What a limiter rejected with, as a value. */
export class Denial {
  readonly result: RateLimiterRes;

  constructor(result: RateLimiterRes) {
    this.result = result;
  }
}

/** Limiters reject with denials and with errors. */
export function denialOf(reason: unknown): Denial | Promise<never> {
  return reason instanceof Error ? Promise.reject(reason) : new Denial(reason as RateLimiterRes);
}

/** Later, but at most 24 days. */
export function delay(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, Math.min(ms, LONGEST_DELAY_MS)));
}
