import type { AsyncBlocks, BlockEnd, KeyBlock, ReportedBlock } from "../../core/blocks.ts";
import type { TimeCell } from "../../core/time-cell.ts";
import type { KeyCall } from "./batch/key-call.ts";
import type { RedisSpace } from "./redis-space.ts";
import type { ScriptBlock } from "./script/transaction.ts";

/** The operations of the store that blocks are delegated to. */
export interface BlockOperations {
  setBlock(call: KeyCall, nowUs: number, block: ScriptBlock): Promise<boolean>;
  findBlock(call: KeyCall, nowUs: number): Promise<ReportedBlock | undefined>;
}

/** The blocked keys of a limiter on the server. Its space has no limits: a block needs none. */
export class RedisBlocks implements AsyncBlocks {
  readonly limiter: string;
  readonly #space: RedisSpace;
  readonly #store: BlockOperations;

  constructor(limiter: string, space: RedisSpace, store: BlockOperations) {
    this.limiter = limiter;
    this.#space = space;
    this.#store = store;
  }

  async block(key: string, end: BlockEnd, reason: string | undefined, now: TimeCell): Promise<void> {
    await this.#store.setBlock(this.#call(key), now[0]!, { end, reason });
  }

  async unblock(key: string, now: TimeCell): Promise<boolean> {
    return this.#store.setBlock(this.#call(key), now[0]!, { end: "none", reason: undefined });
  }

  async find(key: string, now: TimeCell): Promise<KeyBlock | undefined> {
    const nowUs = now[0]!;
    const block = await this.#store.findBlock(this.#call(key), nowUs);
    if (block === undefined) return undefined;
    // The server's time may differ from this one: what is left is the same for both.
    const untilUs = nowUs + block.forUs;
    return { untilUs, offences: 0, forgetAtUs: untilUs, reason: block.reason };
  }

  #call(key: string): KeyCall {
    return this.#space.call(key, []);
  }
}
