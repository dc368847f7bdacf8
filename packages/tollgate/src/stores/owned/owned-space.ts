import type { AsyncBlocks, BlockEnd, KeyBlock } from "../../core/blocks.ts";
import { isSameClock, readUs, systemClock } from "../../core/clock.ts";
import type { Plan } from "../../core/plan.ts";
import type { AsyncSpace, LimiterContext } from "../../core/store.ts";
import type { TimeCell } from "../../core/time-cell.ts";
import type { Fallback } from "../remote/without-server.ts";
import { decodeLimit, encodePlan } from "./codec.ts";
import type { BlockWords, LimitWords, Operation, Result } from "./messages.ts";

/** Asks the owner of a space. @throws TollgateError `ERR_STORE` while the owner does not answer. */
export type Administer = (space: OwnedSpace, operation: Operation) => Promise<Result>;

/** One plan's keys in the store of its owner. */
export class OwnedSpace implements AsyncSpace {
  readonly plan: Plan;
  readonly keysOf?: string;
  readonly fallback: Fallback;
  readonly context: LimiterContext;
  /** What the owner has to know of the plan. */
  readonly text: string;
  /** Tells the spaces of one store apart. */
  readonly number: number;
  /** Whether the limiter has a clock of its own, which then decides in place of the owner's. */
  readonly #hasOwnClock: boolean;
  readonly #administer: Administer;

  constructor(
    plan: Plan,
    context: LimiterContext,
    fallback: Fallback,
    number: number,
    administer: Administer,
    keysOf?: string,
  ) {
    this.plan = plan;
    if (keysOf !== undefined) this.keysOf = keysOf;
    this.fallback = fallback;
    this.context = context;
    this.text = encodePlan(plan, context.choosesLimits === true);
    this.number = number;
    this.#administer = administer;
    this.#hasOwnClock = !isSameClock(context.clock, systemClock);
  }

  /** The time of a call that tells it. */
  timeOf(nowUs: number): number | null {
    return this.#hasOwnClock ? nowUs : null;
  }

  /** The time of a call that has none. */
  get #time(): number | null {
    return this.#hasOwnClock ? readUs(this.context.clock) : null;
  }

  async drop(key: string): Promise<void> {
    if (typeof this.fallback === "object") this.fallback.space.drop(key);
    await this.#administer(this, ["drop", this.number, this.#time, key]);
  }

  async clear(): Promise<void> {
    if (typeof this.fallback === "object") this.fallback.space.clear();
    await this.#administer(this, ["clear", this.number, this.#time]);
  }

  async size(): Promise<number> {
    return (await this.#administer(this, ["size", this.number, this.#time])) as number;
  }

  async sweep(now: TimeCell): Promise<number> {
    return (await this.#administer(this, ["sweep", this.number, this.timeOf(now[0]!)])) as number;
  }

  /** The owner forgets plans by itself. */
  release(): void {
    if (typeof this.fallback === "object") this.fallback.space.release();
  }

  moved(key: string, from: readonly LimitWords[], to: readonly LimitWords[]): void {
    this.context.onMove?.(key, from.map(decodeLimit), to.map(decodeLimit));
  }
}

/** The blocked keys of a limiter in the store of its owner. Its space has no limits: a block needs none. */
export class OwnedBlocks implements AsyncBlocks {
  readonly limiter: string;
  readonly #space: OwnedSpace;
  readonly #administer: Administer;

  constructor(limiter: string, space: OwnedSpace, administer: Administer) {
    this.limiter = limiter;
    this.#space = space;
    this.#administer = administer;
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
    const result = await this.#administer(this.#space, ["find", number, this.#space.timeOf(nowUs), key]);
    const block = result as BlockWords;
    if (block === null) return undefined;
    // The owner's time may differ from this one: what is left is the same for both.
    const untilUs = nowUs + block[0];
    return { untilUs, offences: 0, forgetAtUs: untilUs, reason: block[1] ?? undefined };
  }

  #set(key: string, end: BlockEnd | null, reason: string | null, now: TimeCell): Promise<Result> {
    const nowUs = this.#space.timeOf(now[0]!);
    return this.#administer(this.#space, ["block", this.#space.number, nowUs, key, end, reason]);
  }
}
