import { type Clock, readTime } from "../core/clock.ts";
import { type Cost, checkCost } from "../core/cost.ts";
import type { Decision, LimitStatus } from "../core/decision.ts";
import type { DecisionObservation, Observer } from "../core/observer.ts";
import { countsNumbers } from "../core/plan.ts";
import { Report } from "../core/report.ts";
import type { AsyncSpace, AsyncStore, Call, TakenFrom } from "../core/store.ts";
import type { TimeCell } from "../core/time-cell.ts";
import type { Verb } from "../core/verbs.ts";
import { type CheckedRequest, requestFor, requestOf } from "./call.ts";
import { checkBatch, checkDecision } from "./check-arguments.ts";
import { decide } from "./decide.ts";
import { plansOf } from "./entries.ts";
import { explainLimits } from "./explain.ts";
import type { AsyncHandle, AsyncLimiter } from "./limiter.ts";
import { notifyAll } from "./observers.ts";
import type { Selection, Source } from "./selection.ts";

export interface AsyncStoreLimiterParts<Input> {
  readonly name: string;
  readonly selection: Selection<Input, AsyncSpace>;
  readonly sources: readonly Source[];
  readonly store: AsyncStore;
  readonly clock: Clock;
  readonly observers: readonly Observer[];
  /** Ends sweep notifications. */
  readonly close: () => void;
}

/** A store bounds the calls that wait for it, so a longer batch is asked part by part. */
const ASKED_AT_ONCE = 8_192;

/** The verbs over spaces of one store elsewhere: each call is one message to it. */
export class AsyncStoreLimiter<Input> implements AsyncLimiter<Input> {
  readonly kind = "async";
  readonly name: string;
  readonly selection: Selection<Input, AsyncSpace>;
  readonly sources: readonly Source[];
  readonly store: AsyncStore;
  readonly clock: Clock;
  readonly observers: readonly Observer[];
  readonly #observe: Observer | undefined;
  readonly #close: () => void;

  constructor({ name, selection, sources, store, clock, observers, close }: AsyncStoreLimiterParts<Input>) {
    this.name = name;
    this.selection = selection;
    this.sources = sources;
    this.store = store;
    this.clock = clock;
    this.observers = observers;
    this.#observe = notifyAll(observers);
    this.#close = close;
    Object.freeze(this);
  }

  allow(input: Input, cost: Cost = 1): Promise<boolean> {
    return promised(() => this.#allow(this.#request(input, cost), cost));
  }

  async allowMany(inputs: readonly Input[], out: Uint8Array, cost: Cost = 1): Promise<number> {
    checkBatch(inputs, out);
    if (typeof cost === "number") checkCost(cost);
    this.selection.maintain();
    const batch = Array.from(inputs, (input) => requestFor(this.selection, input, cost));
    const now = readTime(this.clock);
    let admitted = 0;
    for (let from = 0; from < batch.length; from += ASKED_AT_ONCE) {
      const some = batch.slice(from, from + ASKED_AT_ONCE);
      const decisions = await Promise.all(some.map((request) => this.#allow(request, cost, now)));
      for (const [i, isAdmitted] of decisions.entries()) out[from + i] = isAdmitted ? 1 : 0;
      admitted += decisions.filter(Boolean).length;
    }
    return admitted;
  }

  handle(input: Input): AsyncHandle {
    const choice = this.selection.keep(input);
    const request = (cost: Cost) => {
      this.selection.maintain();
      return requestOf(this.selection, choice, cost);
    };
    return {
      allow: async (cost = 1) => this.#allow(request(cost), cost),
      consume: async (cost = 1) => this.#decided("consume", "take", request(cost), cost),
      charge: async (cost, decision) => this.#charge(request(cost), cost, decision),
      refund: async (cost, decision) => this.#refund(request(cost).calls, decision),
    };
  }

  consume(input: Input, cost: Cost = 1): Promise<Decision> {
    return promised(() => this.#decided("consume", "take", this.#request(input, cost), cost));
  }

  async peek(input: Input, cost: Cost = 1): Promise<Decision> {
    const { calls } = this.#request(input, cost);
    return decide(this.name, plansOf(calls), await this.#transact("peek", calls));
  }

  async explain(input: Input, cost: Cost = 1): Promise<LimitStatus[]> {
    const { calls } = this.#request(input, cost);
    return explainLimits(calls, await this.#transact("explain", calls));
  }

  async charge(input: Input, cost: Cost, decision?: Decision): Promise<Decision> {
    return this.#charge(this.#request(input, cost), cost, decision);
  }

  async refund(input: Input, cost: Cost, decision?: Decision): Promise<void> {
    await this.#refund(this.#request(input, cost).calls, decision);
  }

  async reset(input: Input): Promise<void> {
    await Promise.all(this.selection.everyPlace(input).map(({ space, key }) => space.drop(key)));
    this.selection.maintain();
  }

  async clear(): Promise<void> {
    await Promise.all(this.selection.spaces().map((space) => space.clear()));
  }

  async sweep(): Promise<number> {
    const now = readTime(this.clock);
    return total(await Promise.all(this.selection.spaces().map((space) => space.sweep(now))));
  }

  async size(): Promise<number> {
    return total(await Promise.all(this.selection.spaces().map((space) => space.size())));
  }

  async close(): Promise<void> {
    this.#close();
    for (const space of this.selection.spaces()) space.release();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  // `then` instead of `await`, here and below: a flood has many calls in flight, and each suspended function takes memory.

  #allow(request: CheckedRequest<AsyncSpace>, cost: Cost, now: TimeCell = readTime(this.clock)): Promise<boolean> {
    if (this.#observe !== undefined) {
      return this.#decided("allow", "take", request, cost, now).then(({ allowed }) => allowed);
    }
    const { calls } = request;
    const [only] = calls;
    if (only?.space.allow !== undefined && calls.length === 1 && typeof cost === "number") {
      if (countsNumbers(only.space.plan)) return only.space.allow(only.key, cost, now);
    }
    return this.#transact("take", calls, now).then(({ admitted }) => admitted);
  }

  async #charge(request: CheckedRequest<AsyncSpace>, cost: Cost, corrected: Decision | undefined): Promise<Decision> {
    checkDecision(corrected);
    return this.#decided("charge", "charge", request, cost, readTime(this.clock), corrected);
  }

  async #refund(calls: readonly Call<AsyncSpace>[], corrected: Decision | undefined): Promise<void> {
    checkDecision(corrected);
    await this.#transact("refund", calls, readTime(this.clock), corrected);
  }

  #decided(
    name: DecisionObservation["verb"],
    verb: Verb,
    { keys, calls }: CheckedRequest<AsyncSpace>,
    cost: Cost,
    now: TimeCell = readTime(this.clock),
    takenFrom?: TakenFrom,
  ): Promise<Decision> {
    return this.#transact(verb, calls, now, takenFrom).then((report) => {
      const decision = decide(this.name, plansOf(calls), report);
      this.#observe?.({ type: "decision", verb: name, keys, cost, decision });
      return decision;
    });
  }

  #request(input: Input, cost: Cost): CheckedRequest<AsyncSpace> {
    this.selection.maintain();
    return requestFor(this.selection, input, cost);
  }

  #transact(
    verb: Verb,
    calls: readonly Call<AsyncSpace>[],
    now: TimeCell = readTime(this.clock),
    takenFrom?: TakenFrom,
  ): Promise<Report> {
    if (calls.length === 0) return Promise.resolve(new Report());
    const decided = this.store.transact(verb, calls, now, takenFrom);
    return this.#observe === undefined ? decided : decided.then((report) => this.#notified(report));
  }

  #notified(report: Report): Report {
    if (report.degraded !== undefined) {
      this.#observe?.({ type: "degradation", limiter: this.name, cause: report.degraded });
    }
    return report;
  }
}

function total(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

/** Turns an error that is thrown at once into a rejection. */
function promised<T>(work: () => Promise<T>): Promise<T> {
  try {
    return work();
  } catch (error) {
    return rejected(error);
  }
}

async function rejected(error: unknown): Promise<never> {
  throw error;
}
