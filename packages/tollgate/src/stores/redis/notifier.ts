import { checkFunction } from "../../core/checks.ts";
import { notify, warnOfObserver } from "../../core/observer.ts";
import type { LimiterContext } from "../../core/store.ts";
import type { StoreObservation } from "../../core/store-observation.ts";
import { warnOnce } from "../../core/warnings.ts";
import type { CheckedRedisOptions } from "./redis-options.ts";

type Observe = NonNullable<CheckedRedisOptions["observe"]>;

/** Notifies the store's observers, and warns on stderr of what no observer would show. It never throws. */
export class Notifier {
  /** They come and go. */
  #observers: readonly Observe[];
  readonly #warns: boolean;
  /** Whether the store or one of its limiters has an observer. */
  #isObserved: boolean;

  constructor({ observe, warnings }: Pick<CheckedRedisOptions, "observe" | "warnings">) {
    this.#observers = observe === undefined ? [] : [observe];
    this.#warns = warnings;
    this.#isObserved = observe !== undefined;
  }

  /** Adds an observer, and returns a function that removes it. @throws TollgateError `ERR_OPTION`. */
  add(observe: Observe): () => void {
    checkFunction("observe", observe, "a function that is given observations");
    const added: Observe = (observation) => observe(observation);
    this.#observers = [...this.#observers, added];
    this.#isObserved = true;
    return () => {
      this.#observers = this.#observers.filter((one) => one !== added);
    };
  }

  opened(context: LimiterContext): void {
    this.#noteObserver(context);
  }

  /** The call that caused the event must not fail, nor the process, if an asynchronous observer rejects. */
  notify(observation: StoreObservation): void {
    for (const observe of this.#observers) notify(observe, observation, this.#warns ? warnOfObserver : ignore);
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
