import { slidingWindow } from "../../algorithms/limits/sliding-window.ts";
import { checkChoice, checkOptions } from "../../core/check-options.ts";
import type { AsyncStore, SyncStore } from "../../core/store.ts";
import { safeErrorLog, toError } from "../../http/error-log.ts";
import { createLimiter } from "../../limiter/create-limiter.ts";

/** A rule of Better Auth: at most `max` requests in any `window` seconds. */
export interface RateLimitRule {
  readonly window: number;
  readonly max: number;
}

/** What Better Auth is told. */
export interface RateLimitOutcome {
  readonly allowed: boolean;
  /** Whole seconds; `null` if allowed. */
  readonly retryAfter: number | null;
}

/** The `rateLimit.customStorage` of Better Auth 1.7. */
export interface RateLimitStorage {
  consume(key: string, rule: RateLimitRule): Promise<RateLimitOutcome>;
}

export interface RateLimitStorageOptions {
  /** Where requests are counted; a memory store by default. */
  readonly store?: SyncStore | AsyncStore;
  /** The limiter's name, `"better-auth"` by default: processes that share a store share the counts of a name. */
  readonly name?: string;
  /**
   * What happens when a call fails, such as by a rule with a broken number: `"deny"` by default, or `"allow"`. An
   * outage of a store elsewhere is no error: its `onFailure` decides.
   */
  readonly onError?: "deny" | "allow";
}

const NAMES: Readonly<Record<keyof RateLimitStorageOptions, true>> = { store: true, name: true, onError: true };

/**
 * Counts the requests of Better Auth in a store of Tollgate, by sliding windows. It never throws, because Better Auth
 * would then answer no request: errors become warnings of the process.
 *
 * @throws TollgateError `ERR_OPTION` or `ERR_STORE` when an option is not what is expected.
 * @example
 * ```ts
 * import { rateLimitStorage } from "tollgate/better-auth";
 *
 * const storage = rateLimitStorage();
 * const rule = { window: 10, max: 1 };
 * console.log(await storage.consume("192.0.2.1|/sign-in/email", rule)); // { allowed: true, retryAfter: null }
 * console.log(await storage.consume("192.0.2.1|/sign-in/email", rule)); // { allowed: false, retryAfter: 10 }
 * ```
 */
export function rateLimitStorage(options: RateLimitStorageOptions = {}): RateLimitStorage {
  checkOptions("rateLimitStorage", options, NAMES);
  const { store, name = "better-auth", onError = "deny" } = options;
  checkChoice("onError", onError, ["deny", "allow"]);
  const limiter = createLimiter({
    name,
    key: ({ key }: Request) => key,
    limits: ({ rule: { window, max } }: Request) => [
      slidingWindow({ name: "rule", limit: max, window: window * 1_000 }),
    ],
    ...(store && { store }),
  });
  const logError = safeErrorLog<Request>();
  return {
    async consume(key, rule) {
      try {
        const { allowed, retryAfterMs } = await limiter.consume({ key, rule });
        return { allowed, retryAfter: allowed ? null : secondsOf(retryAfterMs, rule) };
      } catch (thrown) {
        logError(toError(thrown), { key, rule });
        return onError === "allow"
          ? { allowed: true, retryAfter: null }
          : { allowed: false, retryAfter: secondsOf(0, rule) };
      }
    },
  };
}

interface Request {
  readonly key: string;
  readonly rule: RateLimitRule;
}

/** At least 1, and finite: Better Auth writes it into a header. */
function secondsOf(ms: number, rule: RateLimitRule): number {
  const seconds = Math.ceil(ms / 1_000);
  const { window } = Object(rule) as Partial<RateLimitRule>;
  if (Number.isFinite(seconds) && seconds > 0) return seconds;
  return typeof window === "number" && window >= 1 && Number.isFinite(window) ? Math.ceil(window) : 1;
}
