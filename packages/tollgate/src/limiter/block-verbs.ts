import type { AsyncBlocks, BlockEnd } from "../core/blocks.ts";
import { readTime } from "../core/clock.ts";
import type { Block } from "../core/decision.ts";
import { toMilliseconds } from "../core/duration.ts";
import { show, TollgateError } from "../core/errors.ts";
import { type Maybe, mapMaybeAsync } from "../core/maybe-async.ts";
import type { Observer } from "../core/observer.ts";
import { type BlockOptions, type BlockTime, checkReason, checkSpan } from "./block-time.ts";
import type { Selected } from "./choosing/selected.ts";
import type { Decider } from "./deciding/decider.ts";
import { changed } from "./waiting/behind.ts";

/** Blocks the key of each limiter of a call, in place of other blocks. */
export function blockKeys(
  limiter: Decider,
  selected: Selected,
  span: BlockTime,
  options: BlockOptions | undefined,
): Maybe<void> {
  const reason = checkReason(options);
  const now = readTime(limiter.clock);
  const nowUs = now[0]!;
  const end = checkSpan(span, nowUs);
  const { route, keys } = selected;
  let done: Maybe<unknown>;
  if (limiter.asker.kind === "async")
    done = Promise.all(asyncBlocksOf(selected).map((blocks, i) => blocks.block(keys[i]!, end, reason, now)));
  else {
    checkKept(selected);
    const full = route.blocking.block(keys, "untilUs" in end ? end.untilUs : nowUs + end.forUs, reason, now);
    if (full !== undefined) throw fullError(full);
  }
  return mapMaybeAsync(done, () => notify(limiter, selected, blockOf(end, reason, nowUs)));
}

/** Ends the blocks, and forgets the offences. Says whether a key was blocked. */
export function unblockKeys(limiter: Decider, selected: Selected): Maybe<boolean> {
  const now = readTime(limiter.clock);
  const { route, keys } = selected;
  let were: Maybe<readonly boolean[]>;
  if (limiter.asker.kind === "async")
    were = Promise.all(asyncBlocksOf(selected).map((blocks, i) => blocks.unblock(keys[i]!, now)));
  else {
    checkKept(selected);
    were = [route.blocking.unblock(keys, now)];
  }
  return mapMaybeAsync(were, (known) => {
    const wasBlocked = known.includes(true);
    if (wasBlocked) notify(limiter, selected, undefined);
    else changed(route, keys);
    return wasBlocked;
  });
}

/** When the last of the blocks ends, in milliseconds since the epoch. */
export function blockedUntil(limiter: Decider, selected: Selected): Maybe<number | undefined> {
  const now = readTime(limiter.clock);
  const { route, keys } = selected;
  let untilUs: Maybe<number | undefined>;
  if (limiter.asker.kind === "async")
    untilUs = Promise.all(asyncBlocksOf(selected).map((blocks, i) => blocks.find(keys[i]!, now))).then((blocks) =>
      Math.max(...blocks.map((block) => block?.untilUs ?? Number.NEGATIVE_INFINITY)),
    );
  else {
    checkKept(selected);
    untilUs = route.blocking.blockedUntilUs(keys, now[0]!);
  }
  return mapMaybeAsync(untilUs, (us) => (us === undefined || !Number.isFinite(us) ? undefined : toMilliseconds(us)));
}

/** Tells the calls that wait, and the watchers. */
function notify(limiter: Decider, selected: Selected, block: Block | undefined): void {
  const { route, keys } = selected;
  changed(route, keys);
  const told = new Set<Observer>();
  const observation = { type: "block", limiter: limiter.name, keys: [...keys], block } as const;
  limiter.eachWatch(selected, (watch) => watch.notify(observation, told));
}

/** @throws TollgateError `ERR_STORE` for a store that keeps no blocks. */
function asyncBlocksOf({ route }: Selected): AsyncBlocks[] {
  return route.owners.map(({ blocks }) => {
    if (blocks === undefined) throw keepsNoneError();
    return blocks as AsyncBlocks;
  });
}

function checkKept({ route }: Selected): void {
  if (!route.blocking.isKept) throw keepsNoneError();
}

function blockOf(end: BlockEnd, reason: string | undefined, nowUs: number): Block {
  const endsInMs = toMilliseconds("untilUs" in end ? end.untilUs - nowUs : end.forUs);
  return reason === undefined ? { endsInMs } : { endsInMs, reason };
}

function keepsNoneError(): TollgateError {
  return new TollgateError("ERR_STORE", "block: expected a store that keeps blocks, got one without `blocks`");
}

function fullError(limiter: string): TollgateError {
  return new TollgateError(
    "ERR_STORE",
    `block: expected a store with capacity for another blocked key, got a full one, of the limiter ${show(limiter)}; ` +
      "raise maxKeys or maxBytes, or give the limiter a store of its own",
  );
}
