import type { LeaseStatus } from "../../core/lease-status.ts";
import type { Maybe } from "../../core/maybe-async.ts";
import type { Plan } from "../../core/plan.ts";
import { Report } from "../../core/report.ts";
import type { AsyncSpace, Call } from "../../core/store.ts";
import type { Taken } from "../../core/taken.ts";
import type { TimeCell } from "../../core/time-cell.ts";
import type { Verb } from "../../core/verbs.ts";
import type { RedisSpace } from "../redis/redis-space.ts";
import { closedError } from "../redis/translate-error.ts";
import type { LeaseStats } from "./stats.ts";

/** Longer keys are asked call by call: callers could fill the memory with them. */
export const LONGEST_KEY = 256;

/** What all spaces of a store share. */
export interface StoreState {
  readonly stats: LeaseStats;
  readonly spaces: Set<DecidingSpace>;
  /** Whether calls are decided by policy. */
  isBypassed: boolean;
  /** Whether the store accepts no more calls. Then keys take no units in advance. */
  isClosing: boolean;
}

type CostedKey = Pick<Call<AsyncSpace>, "key" | "costs">;

/** One plan's keys on the server, of which this node knows enough to decide many calls alone. */
export abstract class DecidingSpace implements AsyncSpace {
  readonly plan: Plan;
  /** The same keys on the server. */
  readonly redis: RedisSpace;
  protected readonly state: StoreState;

  constructor(redis: RedisSpace, state: StoreState) {
    this.plan = redis.plan;
    this.redis = redis;
    this.state = state;
  }

  get keysOf(): string {
    return this.redis.keysOf;
  }

  consume<T>(key: string, costs: readonly number[], nowUs: number, read: (report: Report) => T): Promise<T> {
    const { state } = this;
    if (state.isClosing) throw closedError();
    const report = state.isBypassed ? undefined : this.take(key, costs, nowUs);
    if (report instanceof Report) return Promise.resolve(read(report));
    if (report !== undefined) return report.then(read);
    state.stats.asks += 1;
    return this.redis.consume(key, costs, nowUs, read);
  }

  /** Takes by what this node knows; `undefined` if the server has to be asked for this call alone. */
  protected abstract take(key: string, costs: readonly number[], nowUs: number): Maybe<Report> | undefined;
  /** Takes a charge without the server; `undefined` if the server has to be asked. */
  charge(_key: string, _costs: readonly number[]): Report | undefined {
    return undefined;
  }

  /** The server was asked for another verb than a take, or for several keys. `work` ends with its answer. */
  abstract asked(call: CostedKey, verb: Verb, now: TimeCell, work: Promise<Report>, taken?: Taken): void;

  /** What the server knows of a take that is corrected. */
  takenThere(taken: Taken, _now: TimeCell): Maybe<Taken> {
    return taken;
  }

  /** Tells the server what was admitted here, before it is asked for something else. */
  settle(_key: string, _verb: Verb): void {}

  /** The server's report, with what this node knows better. */
  restated(_key: string, _costs: readonly number[], report: Report): Report {
    return report;
  }

  /** Where each limit of a key stands at this node; `undefined` if nothing is leased. */
  leasesOf(_key: string): readonly LeaseStatus[] | undefined {
    return undefined;
  }

  /** Gives back what this node holds of a key, and tells the server what was admitted. */
  abstract giveBack(key: string): void;
  abstract giveBackAll(): void;
  /** What is known of a key is forgotten, because its counts are. */
  protected abstract forget(key: string): void;
  protected abstract forgetAll(): void;
  /** The limiter is closed. */
  protected abstract released(): void;

  async drop(key: string): Promise<void> {
    this.forget(key);
    await this.redis.drop(key);
  }

  async clear(): Promise<void> {
    this.forgetAll();
    await this.redis.clear();
  }

  size(): Promise<number> {
    return this.redis.size();
  }

  sweep(now: TimeCell): Promise<number> {
    return this.redis.sweep(now);
  }

  release(): void {
    this.giveBackAll();
    this.released();
    this.state.spaces.delete(this);
    this.redis.release();
  }
}
