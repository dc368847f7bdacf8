import { notify, warnOfObserver } from "../../core/observer.ts";
import type { LimiterContext } from "../../core/store.ts";
import { warnOnce } from "../../core/warnings.ts";
import type { RedisStoreObservation } from "./redis-observation.ts";
import type { CheckedRedisOptions } from "./redis-options.ts";

/** Notifies the store's observer, and warns on stderr of what no observer would show. It never throws. */
export class Notifier {
  readonly #observe: CheckedRedisOptions["observe"];
  readonly #warns: boolean;
  /** Whether the store or one of its limiters has an observer. */
  #isObserved: boolean;

  constructor({ observe, warnings }: Pick<CheckedRedisOptions, "observe" | "warnings">) {
    this.#observe = observe;
    this.#warns = warnings;
    this.#isObserved = observe !== undefined;
  }

  /** Limiters without an observer have no `onSweep`. */
  opened({ onSweep }: LimiterContext): void {
    if (onSweep !== undefined) this.#isObserved = true;
  }

  /** The call that caused the event must not fail, nor the process, if an asynchronous observer rejects. */
  notify(observation: RedisStoreObservation): void {
    if (this.#observe !== undefined) notify(this.#observe, observation, this.#warns ? warnOfObserver : ignore);
  }

  /** A call was decided without the server, which was not on purpose. */
  degraded(cause: string): void {
    if (this.#isObserved || !this.#warns) return;
    warnOnce(
      "degraded-unobserved",
      `redisStore: onFailure decided a call without the server (${cause}), and no observer was notified; ` +
        "pass observe to redisStore or to createLimiter, or warnings: false to redisStore",
    );
  }
}

function ignore(): void {}
