import { checkFunction } from "../../core/checks.ts";
import { warnOfObserver } from "../../core/observer.ts";
import type { LimiterContext } from "../../core/store.ts";
import type { StoreObservation } from "../../core/store-observation.ts";
import { warnOnce } from "../../core/warnings.ts";
import { Listeners } from "./listeners.ts";

type Observe = (observation: StoreObservation) => void;

interface NotifierOptions {
  readonly observe: Observe | undefined;
  readonly warnings: boolean;
}

/** Notifies the store's observers, and warns on stderr of what no observer would show. It never throws. */
export class Notifier {
  readonly #observers = new Listeners<StoreObservation>();
  readonly #owner: string;
  readonly #warns: boolean;
  /** Whether the store or one of its limiters has an observer. */
  #isObserved: boolean;

  /** `owner` is the function that made the store. */
  constructor(owner: string, { observe, warnings }: NotifierOptions) {
    this.#owner = owner;
    if (observe !== undefined) this.#observers.add(observe);
    this.#warns = warnings;
    this.#isObserved = observe !== undefined;
  }

  /** Adds an observer, and returns a function that removes it. @throws TollgateError `ERR_OPTION`. */
  add(observe: Observe): () => void {
    checkFunction("observe", observe, "a function that is given observations");
    this.#isObserved = true;
    return this.#observers.add(observe);
  }

  opened(context: LimiterContext): void {
    this.#noteObserver(context);
  }

  /** The call that caused the event must not fail, nor the process, if an asynchronous observer rejects. */
  notify(observation: StoreObservation): void {
    this.#observers.notify(observation, this.#warns ? warnOfObserver : ignore);
  }

  /** A call of limiters was decided without the server, which was not on purpose. */
  degraded(cause: string, contexts: readonly LimiterContext[]): void {
    for (const context of contexts) this.#noteObserver(context);
    if (this.#isObserved || !this.#warns) return;
    warnOnce(
      "degraded-unobserved",
      `${this.#owner}: onFailure decided a call without the server (${cause}), and no observer was notified; ` +
        `pass observe to ${this.#owner} or to createLimiter, or warnings: false to ${this.#owner}`,
    );
  }

  #noteObserver({ isObserved }: LimiterContext): void {
    if (isObserved === true) this.#isObserved = true;
  }
}

function ignore(): void {}
