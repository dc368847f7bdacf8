import { CompiledPlan } from "../../algorithms/compiled-plan.ts";
import { REACH_US } from "../../algorithms/ticks.ts";
import type { Plan } from "../../core/plan.ts";
import type { TimeCell } from "../../core/time-cell.ts";
import type { Capacity } from "./capacity.ts";
import { KeyHash } from "./key-hash.ts";
import { OverflowBuckets } from "./overflow-buckets.ts";
import { PlanUsers } from "./plan-users.ts";
import type { Budget } from "./recent-keys.ts";
import type { ReservingTable } from "./reservations.ts";

/** A front cache takes bytes only where so many times as many are left. */
const SPARE_BYTES = 8;

/**
 * What the tables of all stores in this process have in common: the cells of one plan's keys, and the plan compiled for
 * an origin near the clocks' time.
 */
export abstract class PlanTable implements Budget, ReservingTable {
  /** What a plan takes before its first key, with the limiter's space for it: measured, in V8. */
  static readonly FIXED_BYTES = 7_000;
  readonly plan: Plan;
  readonly store: Capacity;
  readonly users: PlanUsers = new PlanUsers();
  /** Replaced when the origin moves. */
  compiled: CompiledPlan;
  /** Of keys that found no room; made when the first one comes. */
  #overflow: OverflowBuckets | undefined;
  #overflowHash: KeyHash | undefined;
  #retired = false;
  /** What it has added to those of its store. */
  #bytes = 0;
  /** The part of them that is for overflow buckets. */
  #overflowBytes = 0;
  /** The kernels are exact between these moments; a clock that strays farther moves the origin. */
  #earliestUs = 0;
  #latestUs = 0;
  #originUs = 0;

  constructor(plan: Plan, nowUs: number, store: Capacity) {
    this.plan = plan;
    this.store = store;
    this.compiled = this.#compileAt(nowUs);
  }

  /** Holds all keys' cells; another array after the table has grown. */
  abstract readonly cells: Float64Array;
  /** How many keys have cells of their own. */
  abstract readonly size: number;

  /** Where a key's cells begin; -1 if it has none. */
  abstract locate(key: string): number;

  /** Begins to look for some keys of a list, all at a time, where that is quicker than one after another. */
  prepare(_keys: readonly string[], _from: number, _until: number): void {}

  /** As `locate`, for the `index`-th of the keys prepared. */
  locatePrepared(key: string, _index: number): number {
    return this.locate(key);
  }

  /**
   * A place for a key that has no cells yet, to be taken by `insert` before anything else changes; -1 if there is none
   * though a bounded number of places have been looked at for one that is as good as new.
   */
  abstract room(key: string, now: TimeCell): number;
  /** Takes in a key with the first cells of `source`. */
  abstract insert(room: number, key: string, source: Float64Array): void;
  /** Keeps such a place for a key while a call is decided, with the cells of a new key where that takes some. */
  abstract reserve(room: number, key: string, source: Float64Array): void;
  abstract release(key: string, now: TimeCell, wasChanged: boolean): void;
  abstract drop(key: string): void;
  abstract dropAll(): void;
  /** Drops all keys that are as good as new at the time that the users told, and says how many. */
  abstract sweepAll(): number;
  /** Restates every key's cells after the origin moved. */
  protected abstract rebaseAll(from: CompiledPlan): void;

  fits(bytes: number): boolean {
    return bytes <= this.store.bytesLeft;
  }

  /** A front cache that is made between a look and the call after it must not take the room that was found. */
  canSpare(bytes: number): boolean {
    return SPARE_BYTES * bytes <= this.store.bytesLeft;
  }

  charge(bytes: number): void {
    if (this.#retired) return;
    this.#bytes += bytes;
    this.store.bytes += bytes;
  }

  /** The kernels for a plan of this table's id: its limits may stand in another order and have other modes. */
  compiledFor(plan: Plan): CompiledPlan {
    return plan === this.plan ? this.compiled : new CompiledPlan(plan, this.#originUs);
  }

  /** Whether the kernels are exact at this moment. */
  reaches(now: TimeCell): boolean {
    return now[0]! >= this.#earliestUs && now[0]! <= this.#latestUs;
  }

  /** Whether kernels compiled from the table's are the right ones at this moment. */
  serves(compiledFrom: CompiledPlan | undefined, now: TimeCell): boolean {
    return compiledFrom === this.compiled && now[0]! >= this.#earliestUs && now[0]! <= this.#latestUs;
  }

  get retired(): boolean {
    return this.#retired;
  }

  /** The store lets it go, empty: whoever holds it has to ask the store again. */
  retire(): void {
    this.charge(-this.#bytes);
    this.#retired = true;
    // It serves nobody.
    this.#earliestUs = Number.POSITIVE_INFINITY;
  }

  /** Makes sure that the kernels are exact at this moment. */
  reach(now: TimeCell): void {
    if (!this.reaches(now)) this.#moveOrigin(now[0]!);
  }

  /** Whether keys share buckets already. */
  get hasOverflow(): boolean {
    return this.#overflow !== undefined;
  }

  /** Whether there are buckets, or bytes for some are promised. */
  protected get holdsOverflow(): boolean {
    return this.#overflowBytes > 0;
  }

  /** Whether keys may share buckets: whether they do, or there are bytes for that. */
  get mayOverflow(): boolean {
    if (this.#overflowBytes > 0) return true;
    return !this.#retired && OverflowBuckets.bytes(this.compiled.width) <= this.store.bytesLeftInAll;
  }

  /** The same, and takes the bytes. */
  reserveOverflow(): boolean {
    if (!this.mayOverflow) return false;
    this.#chargeOverflow(OverflowBuckets.bytes(this.compiled.width));
    return true;
  }

  giveUpOverflow(): void {
    if (this.#overflow === undefined) this.#chargeOverflow(0);
  }

  /** The buckets, after `reserveOverflow`. */
  overflow(now: TimeCell): OverflowBuckets {
    this.#overflowHash ??= new KeyHash(this.store.secrets.next());
    this.#overflow ??= new OverflowBuckets(this.compiled, this.#overflowHash, now);
    return this.#overflow;
  }

  clear(): void {
    this.#dropOverflow();
    this.dropAll();
  }

  /** Whether nothing is left that anybody would miss. */
  isIdle(now: TimeCell): boolean {
    if (this.size > 0) return false;
    this.dropOverflowIfIdle(now);
    return this.#overflow === undefined;
  }

  protected dropOverflowIfIdle(now: TimeCell): void {
    if (this.#overflow?.areAsGoodAsNew(this.compiled, now)) this.#dropOverflow();
  }

  #dropOverflow(): void {
    this.#overflow = undefined;
    this.#chargeOverflow(0);
  }

  #chargeOverflow(bytes: number): void {
    this.charge(bytes - this.#overflowBytes);
    this.#overflowBytes = bytes;
  }

  /** Compiles the kernels for another origin and restates every cell: for clocks that jump by decades. */
  #moveOrigin(nowUs: number): void {
    const before = this.compiled;
    this.compiled = this.#compileAt(nowUs);
    this.rebaseAll(before);
    this.#overflow?.rebase(this.compiled, before);
  }

  #compileAt(originUs: number): CompiledPlan {
    this.#originUs = originUs;
    this.#earliestUs = this.#retired ? Number.POSITIVE_INFINITY : originUs - REACH_US;
    this.#latestUs = originUs + REACH_US;
    return new CompiledPlan(this.plan, originUs);
  }
}
