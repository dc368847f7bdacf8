import { fixedWindow } from "../algorithms/limits/fixed-window.ts";
import type { Clock } from "../core/clock.ts";
import type { Decision } from "../core/decision.ts";
import { TollgateError } from "../core/errors.ts";
import type { Key } from "../core/key.ts";
import type { Limit } from "../core/limits/limit.ts";
import { type Maybe, mapMaybeAsync } from "../core/maybe-async.ts";
import { Remembered } from "../core/remembered.ts";
import type { Store, SyncStore } from "../core/store.ts";
import { createLimiter } from "../limiter/create-limiter.ts";
import type { AsyncLimiter, ClearOptions, Limiter } from "../limiter/limiter.ts";

/** Where a drop-in store keeps its counts. */
export interface TollgateStoreOptions {
  /** A memory store of its own by default. */
  readonly store?: Store;
  /** Printable ASCII. Stores of the same name share their counts. A `store` outside this process needs a name. */
  readonly name?: string;
  /** The clock of the limiter; by default that of the store, if it has one, or else the `systemClock`. */
  readonly clock?: Clock;
}

/** The hits of a key in its open window. */
export interface Hits {
  /** May be below 0 after hits were taken back. */
  readonly count: number;
  /** Milliseconds until the count ends. */
  readonly resetMs: number;
  /** Whether this call began the count. */
  readonly isFirst: boolean;
}

/** The hits to count. */
interface Hit {
  readonly key: Key;
  readonly windowMs: number;
}

/** The longest window. Counts that never end use it. */
export const LONGEST_MS: number = 3_650 * 86_400_000;

const MOST = Number.MAX_SAFE_INTEGER;
/** How many lists of limits are kept. Windows may be chosen per call. */
const MOST_WINDOWS = 1_000;
/**
 * Hits that are taken back are so many units more than they are, and a count is what is left after dividing by this. So
 * one atomic call changes a count in either direction, also below 0, and opens its window.
 */
const TURN = 2 ** 40;
/** The call that lifts the units above this gives back half, in whole turns: so they never reach the limit. */
const MANY = 2 ** 52;

/**
 * Counts hits beyond any limit, in fixed windows that the first hit of a key opens: the one thing that the stores of
 * other limiters do. A count of another duration than its window is a block, whose reason says with what it began. Hits
 * then count in a window of that duration, which opens later and so outlasts the block.
 */
export class HitCounter {
  readonly #limiter: Limiter<Hit> | AsyncLimiter<Hit>;
  readonly #lists = new Remembered<number, readonly Limit[]>(MOST_WINDOWS);

  /** @throws TollgateError as `createLimiter`. */
  constructor({ store, name, clock }: TollgateStoreOptions = {}) {
    const options = {
      key: ({ key }: Hit) => key,
      limits: ({ windowMs }: Hit) => this.#lists.get(windowMs, listOf),
      ...(name !== undefined && { name }),
      ...(clock !== undefined && { clock }),
    };
    // The result is of the store's kind, which only the caller knows.
    this.#limiter =
      store === undefined ? createLimiter(options) : createLimiter({ ...options, store: store as SyncStore });
  }

  /** The counts of these keys, as the store has them, and of all that were set. The store is of this process. */
  entries(texts: readonly string[], windowMs: number): readonly (readonly [key: string, hits: Hits])[] {
    const set = (this.#limiter as Limiter<Hit>).blocked();
    const keys = new Set([...texts, ...set.map(({ key }) => key)].map(plainKey));
    return [...keys].flatMap((key) => {
      const hits = this.read(key, windowMs) as Hits | undefined;
      return hits === undefined ? [] : [[key, hits] as const];
    });
  }

  /** Adds hits to a key, or takes hits back. @throws TollgateError `ERR_STORE` if the store does not count. */
  add(key: Key, hits: number, windowMs: number): Maybe<Hits> {
    const units = hits > 0 ? hits : TURN + hits;
    return mapMaybeAsync(this.#limiter.consume({ key, windowMs: windowOf(windowMs) }, units), (decision) => {
      const begun = begunOf(decision);
      if (begun === undefined) return this.#lower(key, windowMs, decision, units);
      return mapMaybeAsync(this.#limiter.charge({ key, windowMs: begun.windowMs }, units), (counted) =>
        hitsSince(begun, decision, counted),
      );
    });
  }

  /** What is counted; `undefined` if nothing is. Throws as `add`. */
  read(key: Key, windowMs: number): Maybe<Hits | undefined> {
    return mapMaybeAsync(this.#limiter.peek({ key, windowMs: windowOf(windowMs) }, 0), (decision) => {
      const begun = begunOf(decision);
      if (begun === undefined) return decision.used === 0 ? undefined : hitsOf(decision, 0);
      return mapMaybeAsync(this.#limiter.peek({ key, windowMs: begun.windowMs }, 0), (counted) =>
        hitsSince(begun, decision, counted),
      );
    });
  }

  /**
   * Takes one hit back, never below 0. The window stays open. If it ends between the two calls to a store elsewhere,
   * the next one begins with a hit less.
   */
  takeBack(key: Key, windowMs: number): Maybe<unknown> {
    const take = (hits: Hits | undefined) => (hits && hits.count > 0 ? this.add(key, -1, windowMs) : undefined);
    return mapMaybeAsync<Hits | undefined, unknown>(this.read(key, windowMs), take);
  }

  /** Sets the count of a key, which then ends after the duration. */
  set(key: Key, count: number, durationMs: number): Maybe<Hits> {
    const windowMs = windowOf(durationMs);
    // The block comes first: no hit is counted in between.
    return mapMaybeAsync(this.#limiter.block({ key, windowMs }, windowMs, { reason: `${count}/${windowMs}` }), () =>
      mapMaybeAsync(this.#limiter.reset({ key, windowMs }), () => ({ count, resetMs: windowMs, isFirst: true })),
    );
  }

  /** Forgets a key. */
  reset(key: Key): Maybe<void> {
    const hit = { key, windowMs: 1 };
    return mapMaybeAsync(this.#limiter.reset(hit), () => mapMaybeAsync(this.#limiter.unblock(hit), () => {}));
  }

  /** Forgets all keys; with `blocks` also counts that were set, where the store can list blocked keys. */
  clear(options?: ClearOptions): Maybe<void> {
    return this.#limiter.clear(options);
  }

  /** One call crosses the bound, so only that one gives back. */
  #lower(key: Key, windowMs: number, decision: Decision, units: number): Maybe<Hits> {
    const hits = hitsOf(decision, units);
    const { used = 0 } = decision;
    if (used <= MANY || used - units > MANY) return hits;
    return mapMaybeAsync(this.#limiter.refund({ key, windowMs: windowOf(windowMs) }, MANY / 2), () => hits);
  }
}

function listOf(windowMs: number): readonly Limit[] {
  return [fixedWindow({ name: "hits", limit: MOST, window: windowMs, anchor: "first-use" })];
}

/** Stores keep a text that begins with a bracket behind another one, to tell it from a tuple. */
function plainKey(text: string): string {
  return text.startsWith("[[") ? text.slice(1) : text;
}

/** Whole milliseconds, within what windows may last. */
function windowOf(ms: number): number {
  return Math.min(Math.max(1, Math.round(ms)), LONGEST_MS);
}

interface Begun {
  readonly count: number;
  readonly windowMs: number;
}

/** With what a count began that `set` has set. */
function begunOf({ block }: Decision): Begun | undefined {
  const [, count, windowMs] = /^(\S+)\/(\d+)$/.exec(block?.reason ?? "") ?? [];
  // Users may set infinity, and counts whose text has an exponent.
  return Number.isNaN(Number(count)) ? undefined : { count: Number(count), windowMs: Number(windowMs) };
}

function hitsSince({ count }: Begun, { block }: Decision, counted: Decision): Hits {
  return { count: count + hitsOf(counted, 0).count, resetMs: block?.endsInMs ?? 0, isFirst: false };
}

function hitsOf(decision: Decision, units: number): Hits {
  const { used, resetMs } = decision;
  const reason = decision.degraded ?? (decision.allowed || decision.reason === "blocked" ? undefined : decision.reason);
  // A fallback counts in place of the store. Other policies count nothing: the middleware has a policy of its own.
  if (used === undefined || (reason !== undefined && decision.degraded === undefined))
    throw new TollgateError("ERR_STORE", `store: expected one that counts, got none: ${reason}`);
  return { count: ((used + TURN / 2) % TURN) - TURN / 2, resetMs, isFirst: used === units };
}
