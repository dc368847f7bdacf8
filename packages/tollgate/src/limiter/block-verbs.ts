import type { Blocking } from "../algorithms/blocking.ts";
import type { AsyncBlocks, BlockEnd } from "../core/blocks.ts";
import { type Clock, readTime } from "../core/clock.ts";
import type { Block } from "../core/decision.ts";
import { toMilliseconds } from "../core/duration.ts";
import { show, TollgateError } from "../core/errors.ts";
import { type BlockOptions, type BlockSpan, checkReason, checkSpan } from "./block-span.ts";
import type { BlockVerbs } from "./handle.ts";

/** Called with the keys that were blocked, or unblocked: then without a block. */
type BlockListener = (keys: readonly string[], block: Block | undefined) => void;

/** The verbs over stores of this process. A combination blocks the key of each of its limiters. */
export class SyncBlockVerbs implements BlockVerbs<"sync"> {
  readonly #blocking: Blocking;
  readonly #clock: Clock;
  readonly #findKeys: () => readonly string[];
  readonly #notify: BlockListener;

  /** @throws TollgateError `ERR_STORE` for a store that keeps no blocks. */
  constructor(blocking: Blocking, clock: Clock, findKeys: () => readonly string[], notify: BlockListener) {
    if (!blocking.isKept) throw keepsNoneError();
    this.#blocking = blocking;
    this.#clock = clock;
    this.#findKeys = findKeys;
    this.#notify = notify;
  }

  block(span: BlockSpan, options: BlockOptions | undefined): void {
    const reason = checkReason(options);
    const keys = this.#findKeys();
    const now = readTime(this.#clock);
    const nowUs = now[0]!;
    const end = checkSpan(span, nowUs);
    const untilUs = "untilUs" in end ? end.untilUs : nowUs + end.forUs;
    const limiter = this.#blocking.block(keys, untilUs, reason, now);
    if (limiter === undefined) {
      this.#notify(keys, blockOf(end, reason, nowUs));
      return;
    }
    throw new TollgateError(
      "ERR_STORE",
      `block: expected a store with capacity for another blocked key, got a full one, of the limiter ${show(limiter)}; ` +
        "raise maxKeys or maxBytes, or give the limiter a store of its own",
    );
  }

  unblock(): boolean {
    const keys = this.#findKeys();
    const wasBlocked = this.#blocking.unblock(keys, readTime(this.#clock));
    if (wasBlocked) this.#notify(keys, undefined);
    return wasBlocked;
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
  readonly #notify: BlockListener;

  /** `changed` is called with the keys whose blocks have changed, or may have. */
  constructor(
    blocks: readonly (AsyncBlocks | undefined)[],
    clock: Clock,
    findKeys: () => readonly string[],
    changed: (keys: readonly string[]) => void,
    notify: BlockListener,
  ) {
    this.#blocks = blocks;
    this.#clock = clock;
    this.#findKeys = findKeys;
    this.#changed = changed;
    this.#notify = notify;
  }

  async block(span: BlockSpan, options: BlockOptions | undefined): Promise<void> {
    const reason = checkReason(options);
    const keys = this.#findKeys();
    const now = readTime(this.#clock);
    const nowUs = now[0]!;
    const end = checkSpan(span, nowUs);
    await Promise.all(this.#kept().map((blocks, i) => blocks.block(keys[i]!, end, reason, now)));
    this.#changed(keys);
    this.#notify(keys, blockOf(end, reason, nowUs));
  }

  async unblock(): Promise<boolean> {
    const keys = this.#findKeys();
    const now = readTime(this.#clock);
    const were = await Promise.all(this.#kept().map((blocks, i) => blocks.unblock(keys[i]!, now)));
    this.#changed(keys);
    const wasBlocked = were.includes(true);
    if (wasBlocked) this.#notify(keys, undefined);
    return wasBlocked;
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

function blockOf(end: BlockEnd, reason: string | undefined, nowUs: number): Block {
  const endsInMs = toMilliseconds("untilUs" in end ? end.untilUs - nowUs : end.forUs);
  return reason === undefined ? { endsInMs } : { endsInMs, reason };
}

function keepsNoneError(): TollgateError {
  return new TollgateError("ERR_STORE", "block: expected a store that keeps blocks, got one without `blocks`");
}
