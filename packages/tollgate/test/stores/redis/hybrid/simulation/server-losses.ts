import type { Events } from "./events.ts";
import type { SimRedis } from "./sim-redis.ts";

/** How a server loses what it knew of a key. `lost` is told each time. */
export class ServerLosses {
  readonly #redis: SimRedis;
  readonly #events: Events;
  readonly #key: string;
  readonly #lost: () => void;

  constructor(redis: SimRedis, events: Events, key: string, lost: () => void) {
    this.#redis = redis;
    this.#events = events;
    this.#key = key;
    this.#lost = lost;
  }

  async loseData(): Promise<void> {
    this.#lost();
    await this.#redis.forget(this.#key);
  }

  /** A replica that is behind by so long becomes the primary. */
  async failOver(afterUs: number): Promise<void> {
    const replica = `${this.#key} replica`;
    await this.#redis.replicate(this.#key, replica);
    this.#events.add(this.#events.nowUs + afterUs, async () => {
      this.#lost();
      await this.#redis.failOver(this.#key, replica);
    });
  }
}
