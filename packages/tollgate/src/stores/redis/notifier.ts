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

  opened(context: LimiterContext): void {
    this.#noteObserver(context);
  }

  /** The call that caused the event must not fail, nor the process, if an asynchronous observer rejects. */
  notify(observation: RedisStoreObservation): void {
    if (this.#observe !== undefined) notify(this.#observe, observation, this.#warns ? warnOfObserver : ignore);
  }

  /** A call of limiters was decided without the server, which was not on purpose. */
  degraded(cause: string, contexts: readonly LimiterContext[]): void {
    for (const context of contexts) this.#noteObserver(context);
    if (this.#isObserved || !this.#warns) return;
    warnOnce(
      "degraded-unobserved",
      `redisStore: onFailure decided a call without the server (${cause}), and no observer was notified; ` +
        "pass observe to redisStore or to createLimiter, or warnings: false to redisStore",
    );
  }

  #noteObserver({ isObserved }: LimiterContext): void {
    if (isObserved === true) this.#isObserved = true;
  }
}

function ignore(): void {}
