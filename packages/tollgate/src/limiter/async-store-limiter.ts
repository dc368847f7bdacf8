import type { AsyncBlocks } from "../core/blocks.ts";
import { preciseMs, readTime } from "../core/clock.ts";
import { type Cost, checkCost, copyCost } from "../core/cost.ts";
import type { Decision } from "../core/decision.ts";
import { encodeKey } from "../core/key.ts";
import { countsNumbers } from "../core/plan.ts";
import { Report } from "../core/report.ts";
import type { AsyncSpace, AsyncStore, TakenFrom } from "../core/store.ts";
import type { TimeCell } from "../core/time-cell.ts";
import { VERBS, type Verb } from "../core/verbs.ts";
import type { AsyncHandle, AsyncLimiter } from "./async-limiter.ts";
import { AsyncWaiting } from "./async-waiting.ts";
import { batchOf } from "./batch.ts";
import { AsyncBlockVerbs } from "./block-verbs.ts";
import type { CheckedRequest } from "./call.ts";
import { checkBatch } from "./check-arguments.ts";
import type { Choice } from "./choice.ts";
import { decide, deniedReport } from "./decide.ts";
import { limitsOf } from "./entries.ts";
import { type BlockVerbs, ChoiceHandle } from "./handle.ts";
import type { Lines } from "./lines.ts";
import { promised, rejected } from "./promised.ts";
import { type AsyncReservation, type ReserveOptions, termOf } from "./reservation.ts";
import type { FixedSelection } from "./selection.ts";
import type { CountedKey } from "./space-list.ts";
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
  readonly lines: readonly Lines<AsyncSpace>[];
  protected readonly waiting: AsyncWaiting;
  /** Set if calls can ask the only space directly, because it counts plain numbers and there are no observers. */
  #quick: FixedSelection<Input, AsyncSpace> | undefined;

  constructor(parts: AsyncStoreLimiterParts<Input>) {
    super(parts);
    this.store = parts.store;
    this.blocks = parts.blocks;
    this.lines = parts.lines;
    this.waiting = new AsyncWaiting(parts, {
      transact: (verb, request, now) => this.#transactInTurn(verb, request, now),
      giveBack: (choice, cost, decision) => this.acquired(choice, cost, decision, undefined).cancel(),
    });
    this.observers.onChange = () => {
      this.#quick = quickSelection(parts);
      this.watchSweeps();
    };
    this.observers.onChange();
    Object.freeze(this);
  }

  override allow(input: Input, cost: Cost = 1): Promise<boolean> {
    const quick = this.#quick;
    if (quick?.space.allow === undefined || typeof cost !== "number" || this.waiting.someWait) {
      return super.allow(input, cost);
    }
    try {
      const key = encodeKey(quick.key(input));
      checkCost(cost);
      return quick.space.allow(key, cost, readTime(this.clock));
    } catch (error) {
      return rejected(error);
    }
  }

  allowLocal(input: Input, cost: Cost = 1): boolean | undefined {
    const quick = this.#quick;
    if (quick?.space.allowLocal === undefined || typeof cost !== "number" || this.waiting.someWait) return undefined;
    const key = encodeKey(quick.key(input));
    checkCost(cost);
    return quick.space.allowLocal(key, cost);
  }

  override consume(input: Input, cost: Cost = 1): Promise<Decision> {
    const quick = this.#quick;
    if (quick === undefined || typeof cost !== "number" || this.waiting.someWait) return super.consume(input, cost);
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
    checkBatch(inputs, out, cost);
    const batch = batchOf(this.selection, inputs, cost);
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

  protected override handleOf(choice: Choice<AsyncSpace>): AsyncHandle {
    return new ChoiceHandle<"async", AsyncSpace>(choice, this);
  }

  override blockVerbs(findKeys: () => readonly string[]): BlockVerbs<"async"> {
    return new AsyncBlockVerbs(
      this.blocks,
      this.clock,
      findKeys,
      (keys) => this.waiting.changed(keys),
      (keys, block) => this.notifyBlock(keys, block),
    );
  }

  async clear(): Promise<void> {
    await Promise.all(this.selection.spacesToForget().map((space) => space.clear()));
    for (const lines of this.lines) lines.serveAll();
  }

  async sweep(): Promise<number> {
    const now = readTime(this.clock);
    return total(await Promise.all(this.#spaces().map((space) => space.sweep(now))));
  }

  async size(): Promise<number> {
    return total(await Promise.all(this.#spaces().map((space) => space.size())));
  }

  async close(): Promise<void> {
    this.end();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  protected override async reserveIn(
    choose: () => Choice<AsyncSpace>,
    cost: Cost,
    options: ReserveOptions | undefined,
  ): Promise<AsyncReservation> {
    const term = termOf(this.clock, options);
    const own = copyCost(cost);
    const choice = choose();
    const decision = await this.decided("reserve", "take", () => this.requestOf(choice, own), own);
    return this.acquired(choice, own, decision, term);
  }

  protected override allowRequest(make: MakeRequest<AsyncSpace>, cost: Cost): Promise<boolean> {
    return promised(() => this.#allow(make(), cost, readTime(this.clock)));
  }

  protected override async resetKeys(find: () => readonly CountedKey<AsyncSpace>[]): Promise<void> {
    const counted = find();
    await Promise.all(counted.map(({ space, key }) => space.drop(key)));
    this.selection.maintain();
    for (const { key } of counted) this.waiting.changed(this.lines.map(() => key));
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

  /** One space for all that have the same keys: these are counted once. */
  #spaces(): readonly AsyncSpace[] {
    return [...new Map(this.selection.spaces().map((space) => [space.keysOf ?? space, space])).values()];
  }

  #allow(request: CheckedRequest<AsyncSpace>, cost: Cost, now: TimeCell): Promise<boolean> {
    const { calls, deniedBy } = request;
    const [only] = calls;
    const isPlain = deniedBy === undefined && typeof cost === "number" && !this.waiting.someWait;
    if (isPlain && only?.space.allow !== undefined && calls.length === 1 && countsNumbers(only.space.plan)) {
      const { ofCalls, sampler } = this.observers;
      if (ofCalls === undefined || sampler?.skip() === true) return only.space.allow(only.key, cost, now);
    }
    return this.#transact("take", request, now).then((report) => this.readAllowed(report, request, cost));
  }

  #transact(verb: Verb, request: CheckedRequest<AsyncSpace>, now: TimeCell, takenFrom?: TakenFrom): Promise<Report> {
    const { takes, refunds } = VERBS[verb];
    const behind = takes === "if all conform" ? this.waiting.denied(request, now) : undefined;
    if (behind !== undefined) return Promise.resolve(behind);
    const { stopwatch } = this.observers;
    if (stopwatch !== undefined && verb === "take")
      return stopwatch.timeLater(preciseMs(), this.#transactInTurn(verb, request, now, takenFrom));
    const decided = this.#transactInTurn(verb, request, now, takenFrom);
    return refunds && this.waiting.someWait ? this.#thenServe(decided, () => request.keys) : decided;
  }

  /** Lets calls that wait know, when they may be served earlier. */
  #thenServe<T>(work: Promise<T>, keysOf: () => readonly string[]): Promise<T> {
    return work.then((result) => {
      this.waiting.changed(keysOf());
      return result;
    });
  }

  /** Works like `#transact`, for a call whose turn it is. */
  #transactInTurn(
    verb: Verb,
    request: CheckedRequest<AsyncSpace>,
    now: TimeCell,
    takenFrom?: TakenFrom,
  ): Promise<Report> {
    const denied = deniedReport(verb, request);
    if (denied !== undefined) return Promise.resolve(denied);
    const { calls } = request;
    if (calls.length === 0) return this.#decideUnlimited(verb, request, now);
    const asked = this.store.transact(verb, calls, now, takenFrom);
    const decided = calls.some(({ space }) => space.plan.takesPlaces) ? decidedAt(asked, now[0]!) : asked;
    return this.observers.ofCalls === undefined ? decided : decided.then((report) => this.#notified(report));
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

/** A decision that took places tells when, even if the store did not. */
async function decidedAt(asked: Promise<Report>, nowUs: number): Promise<Report> {
  const report = await asked;
  // Denials may be shared.
  if (report.admitted) report.decidedUs ??= nowUs;
  return report;
}

/** The selection, if its only space counts plain numbers, and no observer needs to know. */
function quickSelection<Input>({
  selection: { fixed },
  observers,
}: StoreLimiterParts<Input, AsyncSpace>): FixedSelection<Input, AsyncSpace> | undefined {
  if (fixed === undefined || observers.ofCalls !== undefined || fixed.space.plan.takesPlaces) return undefined;
  return countsNumbers(fixed.space.plan) ? fixed : undefined;
}

function total(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}
