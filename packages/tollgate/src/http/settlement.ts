import { isPromise } from "../core/checks.ts";
import type { Cost } from "../core/cost.ts";
import type { CountedCall } from "../limiter/reserving/counted-call.ts";

/** How a response ended. */
export interface Outcome {
  /** The status that the handler answered with, even if the client had gone by then; 0 without an answer. */
  readonly status: number;
  /** The bytes of the body that were handed to the network. */
  readonly bytes: number;
  /**
   * Whether the response was sent whole: `false` if the client hung up, or the handler failed and no other code
   * answered. A framework's own response to an error counts like any other.
   */
  readonly completed: boolean;
}

/**
 * Settles a request by how its response ended. Only the first call counts. `done` is called when the limiter has
 * settled.
 */
export type Settle = (outcome: Outcome, done?: () => void) => void;

/** Has a runtime that would end the work of a request wait for a task. */
export type KeepAlive = (task: Promise<unknown>) => void;

type ActualCost = (outcome: Outcome, taken: Cost) => Cost | Promise<Cost>;

/** A counted request, and how to find what it has cost in the end. */
export interface Unsettled {
  readonly counted: CountedCall;
  /** The cost by the response. Absent if only the handler tells it. */
  readonly actualCost: ActualCost | undefined;
  /** Whether a request may be refunded if its response was not sent whole. */
  readonly settleAborted: boolean;
  /** Never throws. */
  readonly logError: (error: unknown) => void;
}

/** Refunds or charges the difference between the cost that was taken and the actual one. */
export class Settlement {
  /** Settles by the response, unless the handler has told the cost. Absent if the response does not matter. */
  readonly end: Settle | undefined;
  readonly #unsettled: Unsettled;
  /** Whether the handler has told the cost: then nothing else decides it. */
  #isTold = false;
  #isOver = false;
  #keepAlive: KeepAlive | undefined;

  constructor(unsettled: Unsettled) {
    this.#unsettled = unsettled;
    const { actualCost } = unsettled;
    if (actualCost !== undefined) this.end = (outcome, done) => this.#end(actualCost, outcome, done);
  }

  keepAliveBy(keepAlive: KeepAlive | undefined): void {
    this.#keepAlive = keepAlive;
  }

  /**
   * Settles what the handler says the request has cost so far, whether or not the client waits for the response. Units
   * that it does not name keep what was counted.
   *
   * @throws TollgateError `ERR_COST`, before anything changes. What an asynchronous limiter rejects with is logged.
   */
  readonly tell = (cost: Cost): void => {
    const settled = this.#unsettled.counted.revise(cost);
    this.#isTold = true;
    if (isPromise(settled)) this.#keep(settled);
  };

  #end(actualCost: ActualCost, outcome: Outcome, done: (() => void) | undefined): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#settle(actualCost, outcome).catch(this.#unsettled.logError).finally(done);
  }

  async #settle(actualCost: ActualCost, outcome: Outcome): Promise<void> {
    const { counted, settleAborted } = this.#unsettled;
    if (this.#isTold) return;
    // A client decides when it hangs up: if that refunded units, the client could exceed its limit.
    const refunds = outcome.completed || settleAborted;
    const after = await actualCost(outcome, counted.cost);
    // The handler may have told it meanwhile.
    if (!this.#isTold) await counted.replace(after, refunds);
  }

  #keep(settled: Promise<void>): void {
    const logged = settled.catch(this.#unsettled.logError);
    this.#keepAlive?.(logged);
  }
}
