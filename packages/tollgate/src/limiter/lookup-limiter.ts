import type { Clock } from "../core/clock.ts";
import { type Cost, copyCost } from "../core/cost.ts";
import type { Decision, LimitStatus } from "../core/decision.ts";
import type { Key } from "../core/key.ts";
import type { Limit } from "../core/limits/limit.ts";
import type { Observer } from "../core/observer.ts";
import type { AsyncHandle, AsyncLimiter } from "./async-limiter.ts";
import type { AsyncStoreLimiter } from "./async-store-limiter.ts";
import type { BlockOptions, BlockSpan } from "./block-span.ts";
import { checkBatch } from "./check-arguments.ts";
import type { HandleTakingPlaces, Taken, TakingPlaces } from "./for-adapters.ts";
import type { Handle } from "./limiter.ts";
import { markLimiters } from "./limiter-mark.ts";
import type { ObserveOptions, Observers } from "./observers.ts";
import { OutgoingWork } from "./outgoing-work.ts";
import {
  type AcquireOptions,
  type AsyncReservation,
  AwaitedReserved,
  type Reservation,
  type ReserveOptions,
  splitOptions,
} from "./reservation.ts";
import type { AsyncRoutedLimiter, SyncRoutedLimiter } from "./routed-limiter.ts";
import type { Source } from "./selection.ts";
import type { SyncStoreLimiter } from "./sync-store-limiter.ts";
import { checkWaitOptions, unlessAborted, type WaitOptions } from "./wait-options.ts";

/** A limiter whose input has been looked up: it decides without a promise in between. */
export type DecidingLimiter<Found> =
  | SyncStoreLimiter<Found>
  | AsyncStoreLimiter<Found>
  | SyncRoutedLimiter<Found, unknown>
  | AsyncRoutedLimiter<Found, unknown>;

/** The parts of a limiter that looks keys or limits up. */
export interface LookupParts<Input, Found> {
  readonly limiter: DecidingLimiter<Found>;
  readonly lookUp: (input: Input) => Promise<Found>;
}

/**
 * Looks up what an input is counted by, then asks another limiter. Look-ups are concurrent, and nothing is counted
 * before a look-up is over.
 */
export class LookupLimiter<Input, Found>
  extends OutgoingWork<Input>
  implements AsyncLimiter<Input>, TakingPlaces<Input>
{
  readonly kind = "async";
  readonly name: string;
  readonly keyed: boolean;
  readonly clock: Clock;
  readonly sources: readonly Source[];
  readonly observers: Observers;
  readonly limiter: DecidingLimiter<Found>;
  readonly lookUp: (input: Input) => Promise<Found>;
  readonly mayTakePlaces: boolean;
  override readonly defaultCost: Cost | undefined;

  constructor({ limiter, lookUp }: LookupParts<Input, Found>) {
    super();
    this.name = limiter.name;
    this.keyed = limiter.keyed;
    this.clock = limiter.clock;
    this.sources = limiter.sources;
    this.observers = limiter.observers;
    this.limiter = limiter;
    this.lookUp = lookUp;
    this.mayTakePlaces = limiter.mayTakePlaces;
    this.defaultCost = limiter.defaultCost;
    Object.freeze(this);
  }

  static {
    markLimiters(LookupLimiter.prototype);
  }

  async allow(input: Input, cost?: Cost): Promise<boolean> {
    const own = copyGiven(cost);
    return this.limiter.allow(await this.lookUp(input), own);
  }

  /** The key is not known before it has been looked up. */
  allowLocal(): undefined {}

  async allowMany(inputs: readonly Input[], out: Uint8Array, cost?: Cost): Promise<number> {
    checkBatch(inputs, out, cost ?? 1);
    const own = copyGiven(cost);
    const found = await Promise.all(Array.from(inputs, (input) => this.lookUp(input)));
    return this.limiter.allowMany(found, out, own);
  }

  async consume(input: Input, cost?: Cost): Promise<Decision> {
    const own = copyGiven(cost);
    return this.limiter.consume(await this.lookUp(input), own);
  }

  async peek(input: Input, cost?: Cost): Promise<Decision> {
    const own = copyGiven(cost);
    return this.limiter.peek(await this.lookUp(input), own);
  }

  async explain(input: Input, cost?: Cost): Promise<LimitStatus[]> {
    const own = copyGiven(cost);
    return this.limiter.explain(await this.lookUp(input), own);
  }

  async charge(input: Input, cost: Cost, decision?: Decision): Promise<Decision> {
    const own = copyCost(cost);
    return this.limiter.charge(await this.lookUp(input), own, decision);
  }

  async refund(input: Input, cost: Cost, decision?: Decision): Promise<void> {
    const own = copyCost(cost);
    await this.limiter.refund(await this.lookUp(input), own, decision);
  }

  async wait(input: Input, cost?: Cost, options?: WaitOptions): Promise<Decision> {
    const { signal } = checkWaitOptions(options);
    const own = copyGiven(cost);
    return this.limiter.wait(await unlessAborted(this.lookUp(input), signal), own, options);
  }

  async reserve(input: Input, cost?: Cost, options?: ReserveOptions): Promise<AsyncReservation> {
    const own = copyGiven(cost);
    return awaited(await this.limiter.reserve(await this.lookUp(input), own, options));
  }

  override async acquire(input: Input, cost?: Cost, options?: AcquireOptions): Promise<AsyncReservation> {
    const signal = splitOptions(options).wait?.signal;
    const own = copyGiven(cost);
    return this.limiter.acquire(await unlessAborted(this.lookUp(input), signal), own, options);
  }

  async consumeOrReserve(input: Input, cost?: Cost): Promise<Decision | AsyncReservation> {
    const own = copyGiven(cost);
    return awaitedIfReserved(await this.limiter.consumeOrReserve(await this.lookUp(input), own));
  }

  async reset(input: Input): Promise<void> {
    await this.limiter.reset(await this.lookUp(input));
  }

  async block(input: Input, span: BlockSpan, options?: BlockOptions): Promise<void> {
    await this.limiter.block(await this.lookUp(input), span, options);
  }

  async unblock(input: Input): Promise<boolean> {
    return this.limiter.unblock(await this.lookUp(input));
  }

  async blockedUntil(input: Input): Promise<number | undefined> {
    return this.limiter.blockedUntil(await this.lookUp(input));
  }

  observe(observer: Observer, options?: ObserveOptions): () => void {
    return this.observers.add(observer, options);
  }

  handle(input: Input): AsyncHandle {
    return new LaterHandle(this.lookUp(input).then((found) => this.limiter.handle(found)));
  }

  byKey(key: Key, limits?: readonly Limit[]): AsyncHandle {
    return new LaterHandle(Promise.resolve(this.limiter.byKey(key, limits)));
  }

  async clear(): Promise<void> {
    await this.limiter.clear();
  }

  async sweep(): Promise<number> {
    return this.limiter.sweep();
  }

  async size(): Promise<number> {
    const { limiter } = this;
    return limiter.kind === "sync" ? limiter.size : limiter.size();
  }

  async close(): Promise<void> {
    await this.limiter.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** As the `toJSON` of `StoreLimiter`. */
  toJSON(): Pick<this, "name" | "kind"> {
    return { name: this.name, kind: this.kind };
  }
}

/** Without a cost the limiter finds one. */
function copyGiven(cost: Cost | undefined): Cost | undefined {
  return cost === undefined ? undefined : copyCost(cost);
}

/** A handle that waits for its look-up. */
class LaterHandle implements AsyncHandle {
  readonly #handle: Promise<Handle | AsyncHandle>;

  constructor(handle: Promise<Handle | AsyncHandle>) {
    this.#handle = handle;
    // Its calls reject. A handle without calls must not end the process.
    handle.catch(() => {});
  }

  /** The handle of what was found. */
  get ready(): Promise<Handle | AsyncHandle> {
    return this.#handle;
  }

  async allow(cost?: Cost): Promise<boolean> {
    const own = copyGiven(cost);
    return (await this.#handle).allow(own);
  }

  async consume(cost?: Cost): Promise<Decision> {
    const own = copyGiven(cost);
    return (await this.#handle).consume(own);
  }

  async peek(cost?: Cost): Promise<Decision> {
    const own = copyGiven(cost);
    return (await this.#handle).peek(own);
  }

  async explain(cost?: Cost): Promise<LimitStatus[]> {
    const own = copyGiven(cost);
    return (await this.#handle).explain(own);
  }

  async charge(cost: Cost, decision?: Decision): Promise<Decision> {
    const own = copyCost(cost);
    return (await this.#handle).charge(own, decision);
  }

  async refund(cost: Cost, decision?: Decision): Promise<void> {
    const own = copyCost(cost);
    await (await this.#handle).refund(own, decision);
  }

  async wait(cost?: Cost, options?: WaitOptions): Promise<Decision> {
    const { signal } = checkWaitOptions(options);
    const own = copyGiven(cost);
    return (await unlessAborted(this.#handle, signal)).wait(own, options);
  }

  async reserve(cost?: Cost, options?: ReserveOptions): Promise<AsyncReservation> {
    const own = copyGiven(cost);
    return awaited(await (await this.#handle).reserve(own, options));
  }

  async acquire(cost?: Cost, options?: AcquireOptions): Promise<AsyncReservation> {
    const signal = splitOptions(options).wait?.signal;
    const own = copyGiven(cost);
    return (await unlessAborted(this.#handle, signal)).acquire(own, options);
  }

  async consumeOrReserve(cost?: Cost): Promise<Decision | AsyncReservation> {
    const own = copyGiven(cost);
    // The handles of limiters of this module have the verb.
    const handle = (await this.#handle) as (Handle | AsyncHandle) & HandleTakingPlaces;
    return awaitedIfReserved(await handle.consumeOrReserve(own));
  }

  async reset(): Promise<void> {
    await (await this.#handle).reset();
  }

  async block(span: BlockSpan, options?: BlockOptions): Promise<void> {
    await (await this.#handle).block(span, options);
  }

  async unblock(): Promise<boolean> {
    return (await this.#handle).unblock();
  }

  async blockedUntil(): Promise<number | undefined> {
    return (await this.#handle).blockedUntil();
  }
}

function awaited(reservation: Reservation | AsyncReservation): AsyncReservation {
  return Symbol.dispose in reservation ? new AwaitedReserved(reservation) : reservation;
}

function awaitedIfReserved(taken: Taken): Decision | AsyncReservation {
  return "decision" in taken ? awaited(taken) : taken;
}
