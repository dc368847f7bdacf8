import type { Blocking } from "../algorithms/blocking.ts";
import type { AsyncBlocks } from "../core/blocks.ts";
import { type Clock, readTime } from "../core/clock.ts";
import { toMilliseconds } from "../core/duration.ts";
import { show, TollgateError } from "../core/errors.ts";
import { type BlockOptions, type BlockSpan, checkReason, checkSpan } from "./block-span.ts";
import type { BlockVerbs } from "./handle.ts";

/** The verbs over stores of this process. A combination blocks the key of each of its limiters. */
export class SyncBlockVerbs implements BlockVerbs<"sync"> {
  readonly #blocking: Blocking;
  readonly #clock: Clock;
  readonly #findKeys: () => readonly string[];

  /** @throws TollgateError `ERR_STORE` for a store that keeps no blocks. */
  constructor(blocking: Blocking, clock: Clock, findKeys: () => readonly string[]) {
    if (!blocking.isKept) throw keepsNoneError();
    this.#blocking = blocking;
    this.#clock = clock;
    this.#findKeys = findKeys;
  }

  block(span: BlockSpan, options: BlockOptions | undefined): void {
    const reason = checkReason(options);
    const keys = this.#findKeys();
    const now = readTime(this.#clock);
    const end = checkSpan(span, now[0]!);
    const untilUs = "untilUs" in end ? end.untilUs : now[0]! + end.forUs;
    const limiter = this.#blocking.block(keys, untilUs, reason, now);
    if (limiter === undefined) return;
    throw new TollgateError(
      "ERR_STORE",
      `block: expected a store with capacity for another blocked key, got a full one, of the limiter ${show(limiter)}; ` +
        "raise maxKeys or maxBytes, or give the limiter a store of its own",
    );
  }

  unblock(): boolean {
    return this.#blocking.unblock(this.#findKeys(), readTime(this.#clock));
  }

  blockedUntil(): number | undefined {
    const us = this.#blocking.blockedUntilUs(this.#findKeys(), readTime(this.#clock)[0]!);
    return us === undefined ? undefined : toMilliseconds(us);
  }
}

/** The verbs over an asynchronous store. */
export class AsyncBlockVerbs implements BlockVerbs<"async"> {
  readonly #blocks: readonly (AsyncBlocks | undefined)[];
  readonly #clock: Clock;
  readonly #findKeys: () => readonly string[];
  readonly #changed: (keys: readonly string[]) => void;

  /** `changed` is called with the keys whose blocks have changed. */
  constructor(
    blocks: readonly (AsyncBlocks | undefined)[],
    clock: Clock,
    findKeys: () => readonly string[],
    changed: (keys: readonly string[]) => void,
  ) {
    this.#blocks = blocks;
    this.#clock = clock;
    this.#findKeys = findKeys;
    this.#changed = changed;
  }

  async block(span: BlockSpan, options: BlockOptions | undefined): Promise<void> {
    const reason = checkReason(options);
    const keys = this.#findKeys();
    const now = readTime(this.#clock);
    const end = checkSpan(span, now[0]!);
    await Promise.all(this.#kept().map((blocks, i) => blocks.block(keys[i]!, end, reason, now)));
    this.#changed(keys);
  }

  async unblock(): Promise<boolean> {
    const keys = this.#findKeys();
    const now = readTime(this.#clock);
    const were = await Promise.all(this.#kept().map((blocks, i) => blocks.unblock(keys[i]!, now)));
    this.#changed(keys);
    return were.includes(true);
  }

  async blockedUntil(): Promise<number | undefined> {
    const keys = this.#findKeys();
    const now = readTime(this.#clock);
    const blocks = await Promise.all(this.#kept().map((each, i) => each.find(keys[i]!, now)));
    const untilUs = Math.max(...blocks.map((block) => block?.untilUs ?? Number.NEGATIVE_INFINITY));
    return Number.isFinite(untilUs) ? toMilliseconds(untilUs) : undefined;
  }

  /** @throws TollgateError `ERR_STORE` for a store that keeps no blocks. */
  #kept(): AsyncBlocks[] {
    return this.#blocks.map((blocks) => {
      if (blocks === undefined) throw keepsNoneError();
      return blocks;
    });
  }
}

function keepsNoneError(): TollgateError {
  return new TollgateError("ERR_STORE", "block: expected a store that keeps blocks, got one without `blocks`");
}
