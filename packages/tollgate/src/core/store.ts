import type { Clock } from "./clock.ts";
import type { Decision } from "./decision.ts";
import type { Plan } from "./plan.ts";
import type { Report } from "./report.ts";
import type { TimeCell } from "./time-cell.ts";

/**
 * What a call does to the cells of a key.
 *
 * - `take`: takes the cost from every limit if all enforcing ones conform, else changes nothing. A shadow limit takes
 *   only when it conforms itself.
 * - `peek`: reports what `take` would, and changes nothing.
 * - `explain`: reports the state as it is, with the wait for the cost, and changes nothing.
 * - `charge`: takes the cost from every limit whether or not it conforms.
 * - `refund`: gives the cost back to every limit, never beyond full.
 */
export type Verb = "take" | "peek" | "explain" | "charge" | "refund";

/**
 * Where a decision took its units: in the store or in its place, and there in the key's own cells or in a bucket that
 * keys share.
 */
export type TakenFrom = Pick<Decision, "degraded" | "overflowed">;

/** What a store knows of the limiter that opened a space: stores have no clock of their own. */
export interface LimiterContext {
  /** Tells a sweep the time. */
  readonly clock: Clock;
  /**
   * Hears of each sweep that removed keys; `undefined` when nobody listens. Never throws: the call that swept may be another
   * limiter's.
   */
  readonly onSweep: ((removed: number, remaining: number) => void) | undefined;
  /**
   * Set where limits are chosen per call: plans are opened in the middle of calls, and to open one must not throw for
   * lack of memory.
   */
  readonly choosesLimits?: true;
}

/** Keeps spaces in this process and decides at once. */
export interface SyncStore {
  readonly kind: "sync";
  /** What limiters over this store go by unless they are given another; without this, the `systemClock`. */
  readonly clock?: Clock;
  /** Set where it takes long to see that a space has no keys: none is let go. */
  readonly keepsSpaces?: true;
  /**
   * Set where several objects are one store: they have equal values here, and no other store has. Without this, each
   * object is a store.
   */
  readonly identity?: string;
  /** The space of a plan. Plans of equal scope and id get the same keys, whoever opens them. */
  open(plan: Plan, context: LimiterContext): SyncSpace;
  /** Stops the store's timers. Its keys stay. */
  close(): void;
}

/** One key of a space, found without its text, and right whatever becomes of the key meanwhile. */
export interface SyncHold {
  /** As `SyncSpace.allow`. */
  allow(now: TimeCell, cost: number): boolean;
}

/** One plan's keys in a synchronous store. Every call is atomic. */
export interface SyncSpace {
  readonly plan: Plan;
  /** How many keys it keeps. */
  readonly size: number;
  /** The hot path: `take` with one checked cost for every limit that counts plain numbers. `now` is the caller's again afterwards. */
  allow(key: string, now: TimeCell, cost: number): boolean;
  /**
   * Applies a verb with one checked cost per limit, and fills the entries of `report` from `at` on.
   *
   * @returns whether every enforcing limit conformed.
   */
  apply(verb: Verb, key: string, nowUs: number, costs: readonly number[], report: Report, at: number): boolean;
  /**
   * `apply` with `take`, where other threads change the keys at any moment: also between two calls for one decision, so
   * that another space may yet deny it. Without this nothing comes in between, and a `refund` takes back.
   *
   * @returns what takes back what was taken: `undefined` where the call is denied.
   */
  takeRevocably?(
    key: string,
    nowUs: number,
    costs: readonly number[],
    report: Report,
    at: number,
  ): (() => void) | undefined;
  /** A key that will be asked about often; the hold may keep the string. Without this, `allow` is asked each time. */
  hold?(key: string): SyncHold;
  /**
   * Decides a batch as `allow` would one key after another, and notes 1 or 0 for each in `out`. Without this, `allow` is asked
   * for each.
   *
   * @returns how many were admitted.
   */
  allowMany?(keys: readonly string[], nowUs: number, cost: number, out: Uint8Array): number;
  /** Forgets a key. */
  drop(key: string): void;
  /** Forgets all keys. */
  clear(): void;
  /** Drops the keys that are as good as new, and says how many. */
  sweep(nowUs: number): number;
  /**
   * A bounded bit of housekeeping, such as dropping a few keys that are as good as new. The limiter calls it when a call
   * to `apply`, or several that belong together, have been decided; `allow` sees to it itself. Not in between: what is
   * as good as new by then need not have been so at the moment that the call is decided for.
   */
  maintain(): void;
  /** Says that whoever opened it need not hear of it any more; the keys stay with the store while they count. */
  release(): void;
}

/** A key in a space of this process, and what the call costs there. */
export interface SyncCall {
  readonly space: SyncSpace;
  readonly key: string;
  /** One checked cost per limit of the space's plan. */
  readonly costs: readonly number[];
}

/** Keeps spaces elsewhere: a call is a message. */
export interface AsyncStore {
  readonly kind: "async";
  open(plan: Plan, context: LimiterContext): AsyncSpace;
  /**
   * Applies a verb to several spaces of this store at one instant, all or nothing. The report's entries follow the
   * calls and, within each, the limits of its plan. `nowUs` is the caller's clock; a store may have a better one.
   *
   * `takenFrom` comes with a `refund` or `charge` that corrects a decision: units that were taken in the store's place,
   * because it could not be asked, are corrected there, and never in the store. A `refund` of units that the store
   * took, or that comes without `takenFrom`, is made in the store or dropped.
   */
  transact(verb: Verb, calls: readonly AsyncCall[], nowUs: number, takenFrom?: TakenFrom): Promise<Report>;
  close(): Promise<void>;
}

/** A key in a space, and what the call costs there. */
export interface AsyncCall {
  readonly space: AsyncSpace;
  readonly key: string;
  /** One checked cost per limit of the space's plan. */
  readonly costs: readonly number[];
}

/** One plan's keys in an asynchronous store. */
export interface AsyncSpace {
  readonly plan: Plan;
  /** The hot path: `take` with one checked cost for every limit that counts plain numbers. Without this, `transact` is asked. */
  allow?(key: string, cost: number, nowUs: number): Promise<boolean>;
  size(): Promise<number>;
  drop(key: string): Promise<void>;
  clear(): Promise<void>;
  sweep(nowUs: number): Promise<number>;
  release(): void;
}
