import type { LeaseStatus } from "../../core/lease-status.ts";
import type { Maybe } from "../../core/maybe-async.ts";
import type { Plan } from "../../core/plan.ts";
import type { Report } from "../../core/report.ts";
import type { AsyncSpace, Call } from "../../core/store.ts";
import type { Taken } from "../../core/taken.ts";
import type { TimeCell } from "../../core/time-cell.ts";
import type { Verb } from "../../core/verbs.ts";
import type { RedisSpace } from "../redis/redis-space.ts";

/** Longer keys are asked call by call: callers could fill the memory with them. */
export const LONGEST_KEY = 256;

type CostedKey = Pick<Call<AsyncSpace>, "key" | "costs">;

/** One plan's keys on the server, of which this node knows enough to decide many calls alone. */
export abstract class DecidingSpace implements AsyncSpace {
  readonly plan: Plan;
  /** The same keys on the server. */
  readonly redis: RedisSpace;

  constructor(redis: RedisSpace) {
    this.plan = redis.plan;
    this.redis = redis;
  }

  get keysOf(): string {
    return this.redis.keysOf;
  }

  /** Takes as `consume` does; `undefined` if the server has to be asked for this call alone. */
  abstract take(key: string, costs: readonly number[], now: TimeCell): Promise<Report> | undefined;
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
    this.redis.release();
  }
}
