import type { AsyncBlocks, SyncBlocks } from "../core/blocks.ts";
import { checkOptions } from "../core/check-options.ts";
import { readTime, readUs } from "../core/clock.ts";
import { type Cost, checkCost } from "../core/cost.ts";
import { toMilliseconds } from "../core/duration.ts";
import { show, TollgateError } from "../core/errors.ts";
import { encodeKey } from "../core/key.ts";
import { all, type Maybe, mapMaybeAsync } from "../core/maybe-async.ts";
import type { TimeCell } from "../core/time-cell.ts";
import { refusePlaces } from "./choosing/place-costs.ts";
import { Selected } from "./choosing/selected.ts";
import { distinctCounts, type Space } from "./choosing/space.ts";
import { readAllowed } from "./deciding/read.ts";
import { Request } from "./deciding/request.ts";
import type { BlockedKey, ClearOptions } from "./limiter.ts";
import type { StoreLimiter } from "./store-limiter.ts";

// The verbs that concern all keys of a limiter, or many.

/** Forgets the counts of all keys, and the blocks if that is wanted. */
export function clearAll<Input>(limiter: StoreLimiter<Input>, options: ClearOptions = {}): Maybe<void> {
  checkOptions("clear", options, { blocks: true });
  const now = readTime(limiter.clock);
  const { owners } = limiter.selection;
  // A store that cannot end all blocks throws before anything is forgotten.
  const ends = options.blocks === true ? owners.flatMap(({ blocks }) => (blocks ? [clearOf(blocks)] : [])) : [];
  for (const end of ends) end(now);
  const cleared = owners.flatMap(({ spaces }) => distinctCounts(spaces()).map((space) => space.clear()));
  return mapMaybeAsync(all(cleared), () => {
    for (const { lines } of owners) lines.serveAll();
  });
}

function clearOf(blocks: SyncBlocks | AsyncBlocks): (now: TimeCell) => void {
  if (!("clear" in blocks) || blocks.clear === undefined) throw cannotListError("clear");
  return blocks.clear.bind(blocks);
}

/** The keys that are blocked now. */
export function blockedKeys<Input>({ clock, members, selection }: StoreLimiter<Input>): BlockedKey[] {
  const now = readTime(clock);
  return members?.blocked(now) ?? selection.owners.flatMap(({ blocks }) => blockedIn(blocks, now));
}

/** @throws TollgateError `ERR_STORE`. */
export function blockedIn(blocks: SyncBlocks | AsyncBlocks | undefined, now: TimeCell): BlockedKey[] {
  const list = (blocks as SyncBlocks | undefined)?.list;
  if (list === undefined) throw cannotListError("blocked");
  return Array.from(list(now), ({ key, block: { untilUs, reason } }) => {
    const endsInMs = toMilliseconds(untilUs - now[0]!);
    return reason === undefined ? { key, endsInMs } : { key, endsInMs, reason };
  });
}

function cannotListError(verb: string): TollgateError {
  return new TollgateError("ERR_STORE", `${verb}: expected a store that can list blocked keys, got one that cannot`);
}

/** Drops the idle keys, and says how many. */
export function sweepAll<Input>(limiter: StoreLimiter<Input>): Maybe<number> {
  const now = readTime(limiter.clock);
  return sum(distinct(limiter.selection.spaces()).map((space) => space.sweep(now)));
}

/** How many keys are kept. */
export function sizeOfAll<Input>(limiter: StoreLimiter<Input>): Maybe<number> {
  return sum(
    distinct(limiter.selection.spaces()).map((space) => (typeof space.size === "number" ? space.size : space.size())),
  );
}

/** One space for all that have the same keys: these are counted once. */
function distinct(spaces: readonly Space[]): Space[] {
  return [...new Map(spaces.map((space) => ["keysOf" in space ? space.keysOf : space, space])).values()];
}

function sum(counts: readonly Maybe<number>[]): Maybe<number> {
  return mapMaybeAsync(all(counts), (known) => known.reduce((total, count) => total + count, 0));
}

/** A store bounds the calls that wait for it, so a longer batch is asked part by part. */
const ASKED_AT_ONCE = 8_192;

/** Decides a batch: every input is checked before any is counted. */
export function allowMany<Input>(
  limiter: StoreLimiter<Input>,
  inputs: readonly Input[],
  out: Uint8Array,
  cost: Cost | undefined,
): Maybe<number> {
  checkBatch(inputs, out, cost);
  const { quick } = limiter;
  if (quick !== undefined && (cost === undefined || typeof cost === "number") && quick.route.isOpen(inputs.length)) {
    const keys = Array.from(inputs, (input) => encodeKey(quick.key(input)));
    const now = readTime(limiter.clock);
    return note(
      keys.map((key) => quick.space.allow(key, cost ?? 1, now)),
      out,
      0,
    );
  }
  const selecting = Array.from(inputs, (input) => {
    const selected = new Selected();
    return mapMaybeAsync(limiter.selection.select(input, selected), () => selected.finish(limiter.joiner));
  });
  return mapMaybeAsync(all(selecting), (selected) => allowEach(limiter, selected, out, cost));
}

function allowEach<Input>(
  limiter: StoreLimiter<Input>,
  chosen: readonly Selected[],
  out: Uint8Array,
  cost: Cost | undefined,
): Maybe<number> {
  const requests = chosen.map((selected) => {
    if (selected.route.takesPlaces) refusePlaces("allowMany", selected.route.limits);
    return new Request().set(selected, selected.costOf(cost));
  });
  const nowUs = readUs(limiter.clock);
  const decide = (i: number) => {
    // Choosing limits for a later input may have released the spaces of this one.
    requests[i]!.set(chosen[i]!, requests[i]!.cost);
    requests[i]!.atUs = nowUs;
    return limiter.decideRequest("allow", "take", requests[i]!, readAllowed);
  };
  if (limiter.asker.kind === "async") return allowLater(chosen.length, out, decide);
  return note(
    chosen.map((_, i) => decide(i) as boolean),
    out,
    0,
  );
}

async function allowLater(count: number, out: Uint8Array, decide: (i: number) => Maybe<boolean>): Promise<number> {
  let admitted = 0;
  for (let from = 0; from < count; from += ASKED_AT_ONCE) {
    const until = Math.min(from + ASKED_AT_ONCE, count);
    const deciding = Array.from({ length: until - from }, (_, i) => Promise.resolve(decide(from + i)));
    admitted += note(await Promise.all(deciding), out, from);
  }
  return admitted;
}

/** Writes 1 or 0 for each decision, and returns how many were admitted. */
function note(decisions: readonly boolean[], out: Uint8Array, from: number): number {
  for (const [i, allowed] of decisions.entries()) out[from + i] = allowed ? 1 : 0;
  return decisions.filter(Boolean).length;
}

/** @throws TollgateError `ERR_OPTION` unless `inputs` is a list and `out` has room for each decision, or `ERR_COST`. */
function checkBatch(inputs: unknown, out: unknown, cost: Cost | undefined): void {
  if (!Array.isArray(inputs)) {
    throw new TollgateError("ERR_OPTION", `allowMany: expected a list of inputs, got ${show(inputs)}`);
  }
  if (out instanceof Uint8Array && out.length >= inputs.length) {
    if (typeof cost === "number") checkCost(cost);
    return;
  }
  const got = out instanceof Uint8Array ? `one of ${out.length}` : show(out);
  throw new TollgateError("ERR_OPTION", `allowMany: expected a Uint8Array of at least ${inputs.length}, got ${got}`);
}

/** Decides at once by what this process knows: see `AsyncLimiter.allowLocal`. */
export function allowLocal<Input>(limiter: StoreLimiter<Input>, input: Input, cost: Cost = 1): boolean | undefined {
  const { fixed } = limiter.selection;
  if (fixed === undefined || typeof cost !== "number") return undefined;
  const { route, key } = fixed;
  const space = route.only;
  const isOpen = route.countsNumbers && !(route.takesPlaces || route.someWait || route.isWatched);
  if (!isOpen || space === undefined || !("allowLocal" in space)) return undefined;
  const encoded = encodeKey(key(input));
  checkCost(cost);
  return space.allowLocal?.(encoded, cost);
}
