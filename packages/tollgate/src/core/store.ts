import type { AsyncBlocks, SyncBlocks } from "./blocks.ts";
import type { Clock } from "./clock.ts";
import type { KeptReservation } from "./kept-reservation.ts";
import type { KeyRef } from "./key-ref.ts";
import type { Limit } from "./limits/limit.ts";
import type { Maybe } from "./maybe-async.ts";
import type { Plan, Scope } from "./plan.ts";
import type { Report } from "./report.ts";
import type { StoreObservation } from "./store-observation.ts";
import type { SentBatch, StoreReadings } from "./store-readings.ts";
import type { Taken, UndoRecord } from "./taken.ts";
import type { TimeCell } from "./time-cell.ts";
import type { Verb } from "./verbs.ts";

/** A key in a space, and what a call costs there. */
export interface Call<Space> {
  readonly space: Space;
  readonly key: string;
  /** One checked cost per limit of the space's plan. */
  readonly costs: readonly number[];
}

/** What a store knows of the limiter that opened a space: stores have no clock of their own. */
export interface LimiterContext {
  /** The time for sweeps. */
  readonly clock: Clock;
  /**
   * Called after a call that moved a key's counts to other limits of the same names; absent without observers, which
   * come and go. It never throws.
   */
  readonly onMove?: ((key: string, from: readonly Limit[], to: readonly Limit[]) => void) | undefined;
  /** Whether an observer is notified of calls that are decided without the store. */
  readonly isObserved?: boolean;
  /**
   * Set if limits are chosen per call. Plans are then opened in the middle of calls, and opening one must not throw for
   * lack of memory.
   */
  readonly choosesLimits?: true;
  /** Set if the store only decides while another one is unavailable. */
  readonly isFallback?: true;
  /** How the limiter's calls are decided while the store is unavailable, in place of the store's own policy. */
  readonly onFailure?: OnFailure;
}

/** How calls are decided while a store elsewhere is unavailable. */
export type OnFailure =
  | "allow"
  | "deny"
  | "throw"
  | {
      /** A store in this process, such as `memoryStore()`. */
      readonly fallback: SyncStore;
      /**
       * The fraction of each limit that this node enforces: above 0, at most 1, such as one over the number of nodes.
       * `createLimiter` throws if a fixed limit would then gain less than one unit in ten years.
       */
      readonly share: number;
    };

/** Keeps spaces in this process and decides at once. */
export interface SyncStore {
  readonly kind: "sync";
  /** The default clock of limiters over this store. Without it they use the `systemClock`. */
  readonly clock?: Clock;
  /**
   * Set if the store keeps keys without a space, and would have to scan all slots to find out whether there are any.
   * Then a limiter that chooses its limits per call releases the spaces of lists that it has not met for long.
   */
  readonly keysOutliveSpaces?: true;
  /**
   * Set if several objects are one store: their values here are equal, and differ from those of other stores. Without
   * this, each object is a store.
   */
  readonly identity?: string;
  /** The space of a plan. Plans of equal scope and id share their keys. */
  open(plan: Plan, context: LimiterContext): SyncSpace;
  /** The blocked keys of a plan's scope. Without this, limiters over the store cannot block. */
  blocks?(scope: Scope, limiter: string, context: LimiterContext): SyncBlocks;
  /** What kind of store it is, for metrics. Without this they call it `"custom"`. */
  readonly label?: string;
  /** What metrics show of the store. They ask at each scrape, so it must be quick: no walk over all keys. */
  readings?(): StoreReadings | Promise<StoreReadings>;
  /** Stops the store's timers. Its keys stay. */
  close(): void;
}

/**
 * One plan's keys in a synchronous store. Every call is atomic. Arguments come in the order key, cost, time. A store
 * only reads the time cell, and only before it returns: the limiter reuses it.
 */
export interface SyncSpace {
  readonly plan: Plan;
  /** How many keys it keeps. */
  readonly size: number;
  /** Set if other threads change its keys: `undo` may then give back less, so a call on several spaces peeks first. */
  readonly isSharedByThreads?: boolean;
  /** The hot path: `take` with one checked cost for every limit that counts plain numbers. */
  allow(key: string, cost: number, now: TimeCell): boolean;
  /**
   * Applies a verb with one checked cost per limit, and fills the entries of `report` from `at` on.
   *
   * With `taken`, a `refund` or a `renew` corrects that take under the numbers under which the key is counted, as far
   * as it still holds. It never moves a key to other numbers.
   *
   * @returns whether every enforcing limit conformed.
   */
  apply(
    verb: Verb,
    key: string,
    costs: readonly number[],
    now: TimeCell,
    report: Report,
    at: number,
    taken?: Taken,
  ): boolean;
  /**
   * `apply` with `take`, for a call on several spaces, another of which may deny it. Without this, a `refund` undoes a
   * take.
   */
  takeUndoably?(
    key: string,
    costs: readonly number[],
    now: TimeCell,
    report: Report,
    at: number,
    record: UndoRecord,
  ): boolean;
  /**
   * Undoes a take of `takeUndoably` that was admitted. In a space that only this thread changes, every cell is then
   * what it was, bit for bit, and a key that the call made is gone. Nothing else came to the space in between, except
   * later takes that were undone before.
   */
  undo?(record: UndoRecord, now: TimeCell): void;
  /** A reference to a key that will be asked about often. Without this, `allow` is asked each time. */
  keyRef?(key: string): KeyRef;
  /** `allow` for a key reference of this space. Present if `keyRef` is. */
  allowRef?(ref: KeyRef, cost: number, now: TimeCell): boolean;
  /** Forgets what a key has used under the limits of the plan, whatever their numbers. */
  drop(key: string): void;
  /** Does so for all keys of the scope. */
  clear(): void;
  /** Drops the idle keys, and says how many. */
  sweep(now: TimeCell): number;
  /**
   * A bounded amount of housekeeping, such as dropping a few idle keys. The limiter calls it after a decision that took
   * one or several calls of `apply`; `allow` does it itself. In the middle of a decision it would be wrong: a key that
   * is idle by now may not have been idle at the moment of the decision.
   */
  maintain(): void;
  /** The limiter that opened the space asks no more. Its keys stay while they count. */
  release(): void;
}

/** Where limiters keep their counts: `memoryStore()`, `redisStore(…)` and so on. */
export type Store = SyncStore | AsyncStore;

/** A reservation that a store is to keep. */
export interface KeptCall {
  /** How long it is open, in microseconds. */
  readonly ttlUs: number;
  /** The caller's time, in microseconds. */
  readonly nowUs: number;
  readonly calls: readonly Pick<Call<AsyncSpace>, "space" | "key">[];
  /** For each limit the unit that costs name, and whether a plain number counts for it. */
  readonly units: readonly { readonly unit: string; readonly isPlain: boolean }[];
  /** Whether costs in other units are refused, because they are likely misspelt. */
  readonly refusesOthers: boolean;
  /** What the call counts for under each limit. */
  readonly counted: readonly number[];
  /** What was taken of the calls, and what is left of that to give back under each limit. */
  readonly receipts: readonly { readonly taken: readonly Taken[]; readonly left: readonly number[] }[];
}

/** Keeps reservations, so that any process can settle them. */
export interface ReservationKeeper {
  /** @returns the id. @throws TollgateError `ERR_STORE`. */
  keep(call: KeptCall): Promise<string>;
  /** What is kept under an id, if anything is. */
  open(id: string): KeptReservation;
}

/** Keeps spaces elsewhere: a call is a message. */
export interface AsyncStore {
  readonly kind: "async";
  open(plan: Plan, context: LimiterContext): AsyncSpace;
  /** The blocked keys of a plan's scope. Without this, limiters over the store cannot block. */
  blocks?(scope: Scope, limiter: string, context: LimiterContext): AsyncBlocks;
  /** Without this, only the process that has reserved can settle. */
  readonly keeper?: ReservationKeeper | undefined;
  /** As the `label` of `SyncStore`. */
  readonly label?: string;
  /** As the `readings` of `SyncStore`. It asks no server. */
  readings?(): StoreReadings | Promise<StoreReadings>;
  /** Adds an observer of outages, and returns a function that removes it. */
  observe?(observer: (observation: StoreObservation) => void): () => void;
  /** Calls back for each message to the server, when it has ended. Returns a function that ends this. */
  watchBatches?(watch: (batch: SentBatch) => void): () => void;
  /**
   * Applies a verb to several spaces of this store at one instant, all or nothing. The report's entries follow the
   * calls and, within each, the limits of its plan. `now` is the caller's time; a store may have a better one.
   *
   * `taken` comes with a call that corrects a decision, one for each call. Units that were taken while the store was
   * unavailable are corrected where they were taken, never in the store. A `refund` of units that the store took, or
   * one without `taken`, is made in the store or dropped.
   *
   * Where a limit counts places, a `take` and a `renew` say in the report when these free themselves.
   *
   * A store that needs no message for a call may report at once: a flood then keeps no call in memory.
   */
  transact(verb: Verb, calls: readonly Call<AsyncSpace>[], now: TimeCell, taken?: readonly Taken[]): Maybe<Report>;
  close(): Promise<void>;
}

/** One plan's keys in an asynchronous store. The time cell belongs to the call: no other call writes into it. */
export interface AsyncSpace {
  readonly plan: Plan;
  /** Set if spaces of several plans have the same keys: those with an equal value. */
  readonly keysOf?: string;
  /**
   * The hot path: a `take` of this space alone that tells no figures. Other calls have the same list of costs, which
   * must not change. `nowUs` is the caller's time. Without this, `transact` is asked.
   */
  allow?(key: string, costs: readonly number[], nowUs: number): Promise<boolean>;
  /** The same with figures, of which `read` makes the result. */
  consume?<T>(key: string, costs: readonly number[], nowUs: number, read: (report: Report) => T): Promise<T>;
  /** Works like `allow`, without asking: `undefined` if the store has to be asked, and then nothing was taken. */
  allowLocal?(key: string, cost: number): boolean | undefined;
  size(): Promise<number>;
  drop(key: string): Promise<void>;
  clear(): Promise<void>;
  sweep(now: TimeCell): Promise<number>;
  release(): void;
}
