import type { AsyncBlocks, BlockEnd, KeyBlock } from "../../core/blocks.ts";
import { isSameClock, readUs, systemClock } from "../../core/clock.ts";
import type { Plan } from "../../core/plan.ts";
import type { AsyncSpace, LimiterContext } from "../../core/store.ts";
import type { TimeCell } from "../../core/time-cell.ts";
import type { Fallback } from "../remote/without-server.ts";
import { decodeLimit, encodePlan } from "./encode.ts";
import type { BlockWords, LimitWords, Operation, Result } from "./messages.ts";

/** What a space asks its store for. */
export interface SpaceStore {
  /** A number for a space, which no other has had. */
  nextNumber(): number;
  /** No failure policy applies. @throws TollgateError `ERR_STORE` while the primary does not answer. */
  administer(space: ClusterSpace, operation: Operation): Promise<Result>;
  release(operation: Operation): void;
}

/** One plan's keys in the store of the primary. */
export class ClusterSpace implements AsyncSpace {
  readonly plan: Plan;
  readonly fallback: Fallback;
  readonly context: LimiterContext;
  /** What the primary has to know of the plan. */
  readonly text: string;
  number: number;
  /** Whether the primary has the plan under the number. */
  isKnown = false;
  /** What a call on this space alone has. */
  readonly alone: readonly [ClusterSpace] = [this];
  /** Whether the limiter has a clock of its own, which then decides in place of the primary's. */
  readonly hasOwnClock: boolean;
  readonly #store: SpaceStore;

  constructor(plan: Plan, context: LimiterContext, fallback: Fallback, store: SpaceStore) {
    this.plan = plan;
    this.fallback = fallback;
    this.context = context;
    this.text = encodePlan(plan, context.choosesLimits === true);
    this.number = store.nextNumber();
    this.#store = store;
    this.hasOwnClock = !isSameClock(context.clock, systemClock);
  }

  /** The time of a call that tells it. */
  timeOf(nowUs: number): number | null {
    return this.hasOwnClock ? nowUs : null;
  }

  /** The time of a call that has none. */
  get #time(): number | null {
    return this.hasOwnClock ? readUs(this.context.clock) : null;
  }

  async drop(key: string): Promise<void> {
    if (typeof this.fallback === "object") this.fallback.space.drop(key);
    await this.#store.administer(this, ["drop", this.number, this.#time, key]);
  }

  async clear(): Promise<void> {
    if (typeof this.fallback === "object") this.fallback.space.clear();
    await this.#store.administer(this, ["clear", this.number, this.#time]);
  }

  async size(): Promise<number> {
    return (await this.#store.administer(this, ["size", this.number, this.#time])) as number;
  }

  async sweep(now: TimeCell): Promise<number> {
    return (await this.#store.administer(this, ["sweep", this.number, this.timeOf(now[0]!)])) as number;
  }

  release(): void {
    if (typeof this.fallback === "object") this.fallback.space.release();
    if (!this.isKnown) return;
    this.#store.release(["release", this.number, null]);
    // A limiter may ask again after all.
    this.number = this.#store.nextNumber();
    this.isKnown = false;
  }

  moved(key: string, from: readonly LimitWords[], to: readonly LimitWords[]): void {
    this.context.onMove?.(key, from.map(decodeLimit), to.map(decodeLimit));
  }
}

/** The blocked keys of a limiter in the store of the primary. Its space has no limits: a block needs none. */
export class ClusterBlocks implements AsyncBlocks {
  readonly limiter: string;
  readonly #space: ClusterSpace;
  readonly #store: SpaceStore;

  constructor(limiter: string, space: ClusterSpace, store: SpaceStore) {
    this.limiter = limiter;
    this.#space = space;
    this.#store = store;
  }

  async block(key: string, end: BlockEnd, reason: string | undefined, now: TimeCell): Promise<void> {
    await this.#set(key, end, reason ?? null, now);
  }

  async unblock(key: string, now: TimeCell): Promise<boolean> {
    return (await this.#set(key, null, null, now)) === 1;
  }

  async find(key: string, now: TimeCell): Promise<KeyBlock | undefined> {
    const nowUs = now[0]!;
    const { number } = this.#space;
    const result = await this.#store.administer(this.#space, ["find", number, this.#space.timeOf(nowUs), key]);
    const block = result as BlockWords;
    if (block === null) return undefined;
    // The primary's time may differ from this one: what is left is the same for both.
    const untilUs = nowUs + block[0];
    return { untilUs, offences: 0, forgetAtUs: untilUs, reason: block[1] ?? undefined };
  }

  #set(key: string, end: BlockEnd | null, reason: string | null, now: TimeCell): Promise<Result> {
    const nowUs = this.#space.timeOf(now[0]!);
    return this.#store.administer(this.#space, ["block", this.#space.number, nowUs, key, end, reason]);
  }
}
