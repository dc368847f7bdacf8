import type { AsyncBlocks, BlockEnd, KeyBlock } from "../../core/blocks.ts";
import type { TimeCell } from "../../core/time-cell.ts";

/** The blocked keys of a limiter on the server. Before it blocks a key, this node gives back what it holds of it. */
export class HybridBlocks implements AsyncBlocks {
  readonly limiter: string;
  readonly #redis: AsyncBlocks;
  readonly #giveBack: (key: string) => void;

  constructor(redis: AsyncBlocks, giveBack: (key: string) => void) {
    this.limiter = redis.limiter;
    this.#redis = redis;
    this.#giveBack = giveBack;
  }

  block(key: string, end: BlockEnd, reason: string | undefined, now: TimeCell): Promise<void> {
    this.#giveBack(key);
    return this.#redis.block(key, end, reason, now);
  }

  unblock(key: string, now: TimeCell): Promise<boolean> {
    this.#giveBack(key);
    return this.#redis.unblock(key, now);
  }

  find(key: string, now: TimeCell): Promise<KeyBlock | undefined> {
    return this.#redis.find(key, now);
  }
}
