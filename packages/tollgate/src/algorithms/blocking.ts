import {
  blockAfter,
  blockUntil,
  extendedBy,
  isInForce,
  isOver,
  type KeyBlock,
  type ReportedBlock,
  type SyncBlocks,
} from "../core/blocks.ts";
import type { BlockPolicy } from "../core/limits/block-for.ts";
import { blocksKeys } from "../core/plan.ts";
import { Report } from "../core/report.ts";
import type { Call, SyncSpace } from "../core/store.ts";
import type { Taken } from "../core/taken.ts";
import type { TimeCell } from "../core/time-cell.ts";
import { VERBS, type Verb, type VerbTraits } from "../core/verbs.ts";
import { type DecidingSpace, transact } from "./transact.ts";

/** A space whose limits are known. */
type BlockableSpace = DecidingSpace & Pick<SyncSpace, "plan">;

/** A call of one or several limiters. */
export interface BlockableRequest {
  /** The key in each limiter. */
  readonly keys: readonly string[];
  readonly calls: readonly Call<BlockableSpace>[];
  /** For each call, the index of its limiter. */
  readonly members: readonly number[];
}

const NO_BLOCKS = new Int32Array(1);

/**
 * The blocks of the limiters of a call, over stores of this process. A blocked key is denied whatever its counts, and a
 * call that exhausts a limit with `blockFor` blocks its key.
 *
 * @example
 * ```ts
 * import { memoryStore, perMinute, systemClock } from "tollgate";
 * import { Blocking, createPlan, createTimeCell } from "tollgate/store";
 *
 * const store = memoryStore();
 * const context = { clock: systemClock };
 * const space = store.open(createPlan("login", "login", [perMinute(1, { blockFor: "10m" })]), context);
 * const blocking = new Blocking([store.blocks?.("login", "login", context)]);
 *
 * const request = { keys: ["ann"], calls: [{ space, key: "ann", costs: [1] }], members: [0] };
 * const now = createTimeCell(0);
 * console.log(blocking.transact("take", request, now).admitted); // true
 * console.log(blocking.transact("take", request, now).block?.forUs); // 600000000
 * console.log(blocking.unblock(["ann"], now)); // true
 * ```
 */
export class Blocking {
  /** One per limiter; `undefined` if its store keeps no blocks. */
  readonly #blocks: readonly (SyncBlocks | undefined)[];
  /** The flags of all stores. */
  readonly #some: readonly Int32Array[];

  constructor(blocks: readonly (SyncBlocks | undefined)[]) {
    this.#blocks = blocks;
    this.#some = blocks.map((each) => each?.some ?? NO_BLOCKS);
  }

  /** Whether all stores keep blocks. */
  get isKept(): boolean {
    return !this.#blocks.includes(undefined);
  }

  /** Whether a key may be blocked. If not, and no limit has `blockFor`, calls need no look here. */
  get mayBlock(): boolean {
    for (let i = 0; i < this.#some.length; i += 1) if (this.#some[i]![0] !== 0) return true;
    return false;
  }

  /** Works like `transact` of `transact.ts`, with blocks. */
  transact(
    verb: Verb,
    request: BlockableRequest,
    now: TimeCell,
    taken?: readonly Taken[],
    report: Report = new Report(),
  ): Report {
    const { calls } = request;
    const traits = VERBS[verb];
    const concerns = traits.takes !== "never" && (this.mayBlock || calls.some(({ space }) => blocksKeys(space.plan)));
    if (!concerns) return transact(verb, calls, now, taken, report);
    // The cell may change while the call is decided, because clocks may call limiters.
    const nowUs = now[0]!;
    const blocked = this.#latest(request.keys, nowUs);
    if (blocked === undefined) {
      transact(verb, calls, now, taken, report);
      if (traits.changes && !(report.admitted && traits.takes !== "always")) this.#begin(traits, request, now, report);
      return report;
    }
    transact(traits.takes === "always" ? verb : "explain", calls, now, taken, report);
    report.admitted = false;
    report.block = (traits.changes ? this.#extend(request, nowUs, now) : undefined) ?? blocked;
    return report;
  }

  /**
   * Blocks the key of each limiter, in place of other blocks.
   *
   * @returns the name of a limiter whose store has no capacity for another blocked key.
   */
  block(keys: readonly string[], untilUs: number, reason: string | undefined, now: TimeCell): string | undefined {
    for (const [i, key] of keys.entries()) {
      const kept = this.#replace(i, key, now, (before) => blockUntil(untilUs, reason, before, now[0]!));
      if (kept === "full") return this.#blocks[i]!.limiter;
    }
    return undefined;
  }

  /** Ends the blocks of the keys, and forgets their offences. Says whether one was blocked. */
  unblock(keys: readonly string[], now: TimeCell): boolean {
    const wasBlocked = keys.map(() => false);
    for (const [i, key] of keys.entries()) {
      // The last time is the one that counts: before, another thread was quicker.
      this.#replace(i, key, now, (before) => {
        wasBlocked[i] = isInForce(before, now[0]!);
        return;
      });
    }
    return wasBlocked.includes(true);
  }

  /** When the last of the keys' blocks ends; `undefined` if none is blocked. */
  blockedUntilUs(keys: readonly string[], nowUs: number): number | undefined {
    const block = this.#latest(keys, nowUs);
    return block === undefined ? undefined : nowUs + block.forUs;
  }

  /** The block in force that ends last. */
  #latest(keys: readonly string[], nowUs: number): ReportedBlock | undefined {
    let latest: ReportedBlock | undefined;
    for (let i = 0; i < this.#blocks.length; i += 1) {
      if (this.#some[i]![0] === 0) continue;
      const block = this.#blocks[i]!.find(keys[i]!);
      if (isInForce(block, nowUs)) latest = later(latest, this.#reported(i, block, nowUs, true));
    }
    return latest;
  }

  /** Moves the ends of blocks where a limit with `extend` denies further calls. Returns the block that ends last. */
  #extend({ keys, calls, members }: BlockableRequest, nowUs: number, now: TimeCell): ReportedBlock | undefined {
    const limits = groupBy(calls, members, ({ space: { plan } }) => plan.limits.map(({ blockFor }) => blockFor));
    if (![...limits.values()].flat().some(({ extend }) => extend)) return undefined;
    let latest: ReportedBlock | undefined;
    for (const [i, key] of keys.entries()) {
      const extend = (block: KeyBlock | undefined) =>
        isInForce(block, nowUs) ? extendedBy(limits.get(i) ?? [], block, nowUs) : block;
      const block = this.#replace(i, key, now, extend);
      if (typeof block === "object" && isInForce(block, nowUs))
        latest = later(latest, this.#reported(i, block, nowUs, true));
    }
    return latest;
  }

  /** Blocks the keys that the call exhausted. */
  #begin(traits: VerbTraits, { keys, calls, members }: BlockableRequest, now: TimeCell, report: Report): void {
    const nowUs = now[0]!;
    let at = 0;
    const exhausted = groupBy(calls, members, (call, c) => {
      // Other keys may have exhausted a bucket that keys share.
      const overflow = calls.length === 1 ? report.overflow : report.overflowOf[c];
      const found = overflow === undefined ? exhaustedBy(call, traits, report, at) : [];
      at += call.costs.length;
      return found;
    });
    for (const [i, blocksFor] of exhausted) {
      const begun: KeyBlock[] = [];
      const block = this.#replace(i, keys[i]!, now, (before) => {
        if (isInForce(before, nowUs)) return before;
        const after = blockAfter(blocksFor, before, nowUs);
        begun.push(after);
        return after;
      });
      if (typeof block !== "object") continue;
      // If another thread has begun a block meanwhile, it denied this call.
      const isDenial = !(begun.includes(block) || report.admitted);
      report.block = later(report.block, this.#reported(i, block, nowUs, isDenial));
    }
  }

  /** Changes what is kept of a key, again if another thread was quicker. Returns what is kept then. */
  #replace(
    i: number,
    key: string,
    now: TimeCell,
    change: (before: KeyBlock | undefined) => KeyBlock | undefined,
  ): KeyBlock | undefined | "full" {
    const blocks = this.#blocks[i];
    if (blocks === undefined) return "full";
    for (;;) {
      const before = blocks.find(key);
      const after = change(before);
      const kept = after !== undefined && isOver(after, now[0]!) ? undefined : after;
      const outcome = kept === before ? "done" : blocks.replace(key, before, kept, now);
      if (outcome !== "changed") return outcome === "full" ? "full" : kept;
    }
  }

  #reported(i: number, { untilUs, reason }: KeyBlock, nowUs: number, denied: boolean): ReportedBlock {
    return { limiter: this.#blocks[i]!.limiter, keyIndex: i, forUs: untilUs - nowUs, reason, denied };
  }
}

/** The `blockFor` of some limits of each limiter that has such. */
function groupBy<Space>(
  calls: readonly Call<Space>[],
  members: readonly number[],
  blocksForOf: (call: Call<Space>, index: number) => readonly (BlockPolicy | undefined)[],
): ReadonlyMap<number, readonly BlockPolicy[]> {
  const groups = new Map<number, BlockPolicy[]>();
  for (const [c, call] of calls.entries()) {
    const found = blocksForOf(call, c).filter((blockFor) => blockFor !== undefined);
    if (found.length > 0) groups.set(members[c]!, [...(groups.get(members[c]!) ?? []), ...found]);
  }
  return groups;
}

/**
 * The `blockFor` of the limits that a call exhausts: a take that a limit denies, unless its cost exceeds the capacity
 * or the store has no slot for the key; a charge that leaves nothing.
 */
function exhaustedBy(
  { space: { plan }, costs }: Call<BlockableSpace>,
  { takes }: VerbTraits,
  report: Report,
  at: number,
): BlockPolicy[] {
  const found: BlockPolicy[] = [];
  for (const [i, { blockFor, ...limit }] of plan.limits.entries()) {
    // A key that keeps its first numbers is exhausted by these.
    const { capacity } = report.keptLimits[at + i] ?? limit;
    if (blockFor === undefined || costs[i] === 0 || report.lacksCapacity[at + i] === true) continue;
    const isExhausted =
      takes === "always" ? report.used[at + i]! >= capacity : !report.conforms[at + i]! && costs[i]! <= capacity;
    if (isExhausted) found.push(blockFor);
  }
  return found;
}

function later(one: ReportedBlock | undefined, other: ReportedBlock): ReportedBlock {
  return one !== undefined && one.forUs >= other.forUs ? one : other;
}
