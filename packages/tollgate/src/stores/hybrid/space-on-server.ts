import type { Plan } from "../../core/plan.ts";
import type { TimeCell } from "../../core/time-cell.ts";
import type { RedisSpace } from "../redis/redis-space.ts";

/** The most keys of which a space knows something. */
export const MOST_KEYS = 16_384;
/** Longer keys are asked call by call: callers could fill the memory with them. */
export const LONGEST_KEY = 256;

/** What all spaces of a hybrid store have in common: their keys are on the server. */
export abstract class SpaceOnServer {
  readonly plan: Plan;
  readonly redis: RedisSpace;

  constructor(redis: RedisSpace) {
    this.plan = redis.plan;
    this.redis = redis;
  }

  get keysOf(): string {
    return this.redis.keysOf;
  }

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

  watchSweeps(): void {
    this.redis.watchSweeps();
  }

  release(): void {
    this.giveBackAll();
    this.released();
    this.redis.release();
  }
}
