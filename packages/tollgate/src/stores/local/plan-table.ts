import { CompiledPlan } from "../../algorithms/compiled-plan.ts";
import { REACH_US } from "../../algorithms/ticks.ts";
import type { KeyRef } from "../../core/key-ref.ts";
import type { Plan } from "../../core/plan.ts";
import type { TimeCell } from "../../core/time-cell.ts";
import type { Budget, Capacity } from "./capacity.ts";
import type { Families, Membership } from "./families.ts";
import type { TablePlaces } from "./key-places.ts";
import { OVERFLOW_BUCKETS, OverflowBuckets } from "./overflow-buckets.ts";
import { PlanUsers } from "./plan-users.ts";
import type { StoredKey, TableKey } from "./stored-key.ts";

/** A front cache takes bytes only if so many times as many are left. */
const SPARE_BYTES = 8;

/**
 * The common part of all tables in this process: the cells of one plan's keys, and the plan compiled for an origin near
 * the clocks' time.
 */
export abstract class PlanTable implements Budget {
  /** The bytes of a plan before its first key, and of the limiter's space for it, as measured in V8. */
  static readonly FIXED_BYTES = 7_000;
  readonly plan: Plan;
  readonly capacity: Capacity;
  readonly users: PlanUsers = new PlanUsers();
  /** Replaced when the origin moves. */
  compiled: CompiledPlan;
  /** Made when the first key finds no slot. */
  #overflow: OverflowBuckets | undefined;
  #retired = false;
  #families: Families<PlanTable> | undefined;
  /** Set when the table joins. */
  relatives: Membership<PlanTable> | undefined;
  /** Set if relatives find the table's keys by an index, which is told of each. */
  protected places: TablePlaces<PlanTable> | undefined;
  /** The bytes that the table has charged to its store. */
  #bytes = 0;
  /** The part of these bytes that is for overflow buckets. */
  #overflowBytes = 0;
  /** The kernels are exact between these moments. A time beyond them moves the origin. */
  #earliestUs = 0;
  #latestUs = 0;
  #originUs = 0;

  constructor(plan: Plan, now: TimeCell, capacity: Capacity) {
    this.plan = plan;
    this.capacity = capacity;
    this.compiled = this.#compileAt(now[0]!);
  }

  /** The array with the cells of the key that was located last. A table may have several arrays. */
  abstract readonly cells: Float64Array;
  /** How many keys have cells. */
  abstract readonly size: number;

  /** Where a key's cells begin; -1 if it has none. */
  abstract locate(key: string): number;
  /** Works like `locate`, for a key of another table, which is probably absent: it does not become a recent key. */
  abstract locateOnce(key: TableKey): number;
  /** Works like `locate`, for a key reference, which it brings up to date. */
  abstract locateRef(ref: KeyRef): number;

  /** Prepares `locatePrepared` for some keys of a list, if that is quicker than one after another. */
  prepare(_keys: readonly string[], _from: number, _until: number): void {}

  /** Works like `locate`, for the `index`-th of the keys prepared. */
  locatePrepared(key: string, _index: number): number {
    return this.locate(key);
  }

  /**
   * A slot for a key that has no cells yet, to be used by `insert` before anything else changes. -1 without a slot;
   * the search looks at a bounded number of slots for an idle key.
   */
  abstract findSlot(key: TableKey, now: TimeCell): number;
  /** Puts a key into a slot, with the first cells of `source`. */
  abstract insert(slot: number, key: TableKey, source: Float64Array): void;
  /** Puts a key back whose slot was freed, with nothing in between. */
  restore(key: TableKey, source: Float64Array, now: TimeCell): void {
    this.insert(this.findSlot(key, now), key, source);
  }
  abstract drop(key: TableKey): void;
  /** The keys that have cells. */
  abstract storedKeys(): StoredKey[];
  abstract dropAll(): void;
  /** Drops all keys that are idle at the time of the users' clocks, and says how many. */
  abstract sweepAll(): number;
  /** Restates every key's cells for another origin, at once or before they are used. */
  protected abstract rebaseAll(from: CompiledPlan): void;

  fits(bytes: number): boolean {
    return bytes <= this.capacity.bytesLeft;
  }

  /** A front cache that is made between a peek and its take must not use the bytes that the peek found. */
  canSpare(bytes: number): boolean {
    return SPARE_BYTES * bytes <= this.capacity.bytesLeft;
  }

  charge(bytes: number): void {
    if (this.#retired) return;
    this.#bytes += bytes;
    this.capacity.bytes += bytes;
  }

  /** The kernels for a plan of this table's id. Its limits may have another order and other modes. */
  compiledFor(plan: Plan): CompiledPlan {
    return plan === this.plan ? this.compiled : new CompiledPlan(plan, this.#originUs);
  }

  /** Whether the kernels are exact at this moment. */
  reaches(now: TimeCell): boolean {
    return now[0]! >= this.#earliestUs && now[0]! <= this.#latestUs;
  }

  /** Whether kernels that were compiled from `compiledFrom` are exact at this moment. */
  serves(compiledFrom: CompiledPlan | undefined, now: TimeCell): boolean {
    return compiledFrom === this.compiled && now[0]! >= this.#earliestUs && now[0]! <= this.#latestUs;
  }

  get retired(): boolean {
    return this.#retired;
  }

  /** The store drops the empty table. Spaces that refer to it ask the store again. */
  retire(): void {
    this.charge(-this.#bytes);
    this.#retired = true;
    this.places?.clear();
    this.#families?.leave(this);
    // A retired table serves no call.
    this.#earliestUs = Number.POSITIVE_INFINITY;
  }

  /** Becomes a relative of other tables, unless it is one. A plan with separate counts has none. */
  join(families: Families<PlanTable> | undefined): void {
    if (families === undefined || this.relatives !== undefined || this.#retired) return;
    this.#families = families;
    this.relatives = families.join(this);
    this.places = this.relatives.places;
    if (this.#overflow === undefined) return;
    for (let bucket = 0; bucket < OVERFLOW_BUCKETS; bucket += 1) this.relatives.useBucket(bucket);
  }

  /** Whether a key may be counted in another table as well. A retired table says so for the one that replaces it. */
  get hasRelatives(): boolean {
    return this.relatives?.hasMoreThan(this.#retired ? 0 : 1) === true;
  }

  /** Whether keys have cells, or share buckets. */
  get isCounting(): boolean {
    return this.size > 0 || this.#overflow !== undefined;
  }

  /** Moves the origin unless the kernels are exact at this moment. */
  reach(now: TimeCell): void {
    if (!this.reaches(now)) this.#moveOrigin(now[0]!);
  }

  /** Whether keys share buckets already. */
  get hasOverflow(): boolean {
    return this.#overflow !== undefined;
  }

  /** Whether there are buckets, or bytes reserved for them. */
  protected get holdsOverflow(): boolean {
    return this.#overflowBytes > 0;
  }

  /** Whether there are buckets, or bytes for them. */
  get mayOverflow(): boolean {
    if (this.#overflowBytes > 0) return true;
    return !this.#retired && OverflowBuckets.bytes(this.compiled.width) <= this.capacity.bytesLeftInAll;
  }

  /** Works like `mayOverflow`, and charges the bytes. */
  reserveOverflow(): boolean {
    if (!this.mayOverflow) return false;
    this.#chargeOverflow(OverflowBuckets.bytes(this.compiled.width));
    return true;
  }

  /** The buckets, after `reserveOverflow`. */
  overflow(now: TimeCell): OverflowBuckets {
    this.#overflow ??= new OverflowBuckets(this.compiled, now);
    return this.#overflow;
  }

  /** Where a key's bucket is, which may count from now on. */
  useBucket(key: string, now: TimeCell): number {
    const bucket = this.capacity.bucketNumbers.of(key);
    this.relatives?.useBucket(bucket);
    return this.overflow(now).baseOf(bucket);
  }

  clear(): void {
    this.#dropOverflow();
    this.dropAll();
  }

  /** Whether no key and no bucket counts any more. */
  isIdle(now: TimeCell): boolean {
    if (this.size > 0) return false;
    this.dropOverflowIfIdle(now);
    return this.#overflow === undefined;
  }

  protected dropOverflowIfIdle(now: TimeCell): void {
    if (this.#overflow?.areIdle(this.compiled, now)) this.#dropOverflow();
  }

  #dropOverflow(): void {
    if (this.#overflow !== undefined) this.relatives?.leaveBuckets();
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
