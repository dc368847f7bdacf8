import type { AsyncBlocks } from "../core/blocks.ts";
import { readTime } from "../core/clock.ts";
import { type Cost, checkCost } from "../core/cost.ts";
import type { Decision } from "../core/decision.ts";
import { encodeKey, type Key } from "../core/key.ts";
import type { Limit } from "../core/limits/limit.ts";
import { countsNumbers } from "../core/plan.ts";
import { Report } from "../core/report.ts";
import type { AsyncSpace, AsyncStore, TakenFrom } from "../core/store.ts";
import type { TimeCell } from "../core/time-cell.ts";
import { VERBS, type Verb } from "../core/verbs.ts";
import { AsyncBlockVerbs } from "./block-verbs.ts";
import { type CheckedRequest, choiceFor, keyChoiceFor, requestFor } from "./call.ts";
import { checkBatch } from "./check-arguments.ts";
import { decide } from "./decide.ts";
import { limitsOf } from "./entries.ts";
import { type BlockVerbs, ChoiceHandle } from "./handle.ts";
import type { AsyncHandle, AsyncLimiter } from "./limiter.ts";
import type { FixedSelection } from "./selection.ts";
import type { Place } from "./space-list.ts";
import { type MakeRequest, StoreLimiter, type StoreLimiterParts } from "./store-limiter.ts";

/** The parts of a limiter over an asynchronous store. */
export interface AsyncStoreLimiterParts<Input> extends StoreLimiterParts<Input, AsyncSpace> {
  readonly store: AsyncStore;
  /** One for each key of a call; `undefined` if the store keeps no blocks. */
  readonly blocks: readonly (AsyncBlocks | undefined)[];
}

/** A store bounds the calls that wait for it, so a longer batch is asked part by part. */
const ASKED_AT_ONCE = 8_192;

// `then` instead of `await`: a flood has many calls in flight, and each suspended function takes memory.

/** A limiter over one asynchronous store: each call is one message to it. */
export class AsyncStoreLimiter<Input> extends StoreLimiter<"async", Input, AsyncSpace> implements AsyncLimiter<Input> {
  readonly kind = "async";
  readonly store: AsyncStore;
  readonly blocks: readonly (AsyncBlocks | undefined)[];
  /** Set if calls can ask the only space directly, because it counts plain numbers and there are no observers. */
  readonly #quick: FixedSelection<Input, AsyncSpace> | undefined;

  constructor(parts: AsyncStoreLimiterParts<Input>) {
    super(parts);
    this.store = parts.store;
    this.blocks = parts.blocks;
    this.#quick = quickSelection(parts);
    Object.freeze(this);
  }

  override allow(input: Input, cost: Cost = 1): Promise<boolean> {
    const quick = this.#quick;
    if (quick?.space.allow === undefined || typeof cost !== "number") return super.allow(input, cost);
    try {
      const key = encodeKey(quick.key(input));
      checkCost(cost);
      return quick.space.allow(key, cost, readTime(this.clock));
    } catch (error) {
      return rejected(error);
    }
  }

  override consume(input: Input, cost: Cost = 1): Promise<Decision> {
    const quick = this.#quick;
    if (quick === undefined || typeof cost !== "number") return super.consume(input, cost);
    try {
      const { space } = quick;
      const key = encodeKey(quick.key(input));
      checkCost(cost);
      const costs = space.plan.countsNumber.map((counts) => (counts ? cost : 0));
      const decided = this.store.transact("take", [{ space, key, costs }], readTime(this.clock));
      const plans = [space.plan];
      return decided.then((report) => decide(this.name, plans, limitsOf(plans, report), report));
    } catch (error) {
      return rejected(error);
    }
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
    return new ChoiceHandle<"async", AsyncSpace>(choiceFor(this.selection, input).keepKeys(), this);
  }

  byKey(key: Key, limits?: readonly Limit[]): AsyncHandle {
    return new ChoiceHandle<"async", AsyncSpace>(keyChoiceFor(this.selection, key, limits), this);
  }

  override blockVerbs(findKeys: () => readonly string[]): BlockVerbs<"async"> {
    return new AsyncBlockVerbs(this.blocks, this.clock, findKeys);
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
    this.end();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  protected override allowRequest(make: MakeRequest<AsyncSpace>, cost: Cost): Promise<boolean> {
    return promised(() => this.#allow(make(), cost, readTime(this.clock)));
  }

  protected override async resetPlaces(find: () => readonly Place<AsyncSpace>[]): Promise<void> {
    await Promise.all(find().map(({ space, key }) => space.drop(key)));
    this.selection.maintain();
  }

  protected override ask<T>(
    verb: Verb,
    make: MakeRequest<AsyncSpace>,
    read: (report: Report, request: CheckedRequest<AsyncSpace>) => T,
    takenFrom?: TakenFrom,
  ): Promise<T> {
    return promised(() => {
      const request = make();
      return this.#transact(verb, request, readTime(this.clock), takenFrom).then((report) => read(report, request));
    });
  }

  #allow(request: CheckedRequest<AsyncSpace>, cost: Cost, now: TimeCell): Promise<boolean> {
    const { calls, deniedBy } = request;
    const [only] = calls;
    if (deniedBy === undefined && this.observe === undefined && only?.space.allow !== undefined && calls.length === 1) {
      if (typeof cost === "number" && countsNumbers(only.space.plan)) return only.space.allow(only.key, cost, now);
    }
    return this.#transact("take", request, now).then((report) => this.readAllowed(report, request, cost));
  }

  #transact(verb: Verb, request: CheckedRequest<AsyncSpace>, now: TimeCell, takenFrom?: TakenFrom): Promise<Report> {
    const denied = this.deniedReport(verb, request);
    if (denied !== undefined) return Promise.resolve(denied);
    const { calls } = request;
    if (calls.length === 0) return this.#decideUnlimited(verb, request, now);
    const decided = this.store.transact(verb, calls, now, takenFrom);
    return this.observe === undefined ? decided : decided.then((report) => this.#notified(report));
  }

  /** Decides a call without limits: its key may be blocked. A store that is unavailable admits it. */
  async #decideUnlimited(verb: Verb, { keys }: CheckedRequest<AsyncSpace>, now: TimeCell): Promise<Report> {
    const report = new Report();
    if (VERBS[verb].takes === "never") return report;
    const kept = this.blocks
      .map((blocks, i) => ({ blocks, key: keys[i]! }))
      .filter(({ blocks }) => blocks !== undefined);
    await Promise.allSettled(
      kept.map(async ({ blocks, key }) => {
        const block = await blocks?.find(key, now);
        const forUs = block === undefined ? 0 : block.untilUs - now[0]!;
        if (blocks === undefined || forUs <= (report.block?.forUs ?? 0)) return;
        report.admitted = false;
        report.block = { limiter: blocks.limiter, forUs, reason: block?.reason, denied: true };
      }),
    );
    return report;
  }

  #notified(report: Report): Report {
    this.notifyDegraded(report);
    return report;
  }
}

/** The selection, if its only space counts plain numbers, and no observer needs to know. */
function quickSelection<Input>({
  selection: { fixed },
  observers,
}: StoreLimiterParts<Input, AsyncSpace>): FixedSelection<Input, AsyncSpace> | undefined {
  return fixed !== undefined && observers.length === 0 && countsNumbers(fixed.space.plan) ? fixed : undefined;
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
