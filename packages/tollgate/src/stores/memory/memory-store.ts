import type { SyncBlocks } from "../../core/blocks.ts";
import type { Clock } from "../../core/clock.ts";
import type { Duration } from "../../core/duration.ts";
import { checkDuration } from "../../core/duration-option.ts";
import type { Plan, Scope } from "../../core/plan.ts";
import type { LimiterContext, SyncSpace } from "../../core/store.ts";
import type { StoreReadings } from "../../core/store-readings.ts";
import type { TimeCell } from "../../core/time-cell.ts";
import { Capacity, type CapacityDefaults, HEAP_DEFAULTS } from "../local/capacity.ts";
import { KeyBlocks, readingsOf } from "../local/key-blocks.ts";
import { KeyHash } from "../local/key-hash.ts";
import { KeyTexts } from "../local/key-texts.ts";
import { LocalSpace } from "../local/local-space.ts";
import { CAPACITY_OPTION_NAMES, type CapacityOptions, type LocalStore } from "../local/local-store.ts";
import { PlanTable } from "../local/plan-table.ts";
import { Relatives } from "../local/relatives.ts";
import { ResetLog } from "../local/reset-log.ts";
import type { SpaceStore } from "../local/space-store.ts";
import { KeyTable, type KeyTableStore } from "./key-table.ts";
import { SweepTimer } from "./sweep-timer.ts";
import { Sweeper } from "./sweeper.ts";

/**
 * How many keys a memory store keeps (by default a million), in how many bytes (by default 256 MiB), and how it sweeps.
 */
export interface MemoryStoreOptions extends CapacityOptions {
  /**
   * How often idle keys are dropped: from `"1ms"` to `"24d"`, `"10s"` unless set. As calls come in, a store keeps the
   * keys of about the last two intervals; a store that is nearly full drops idle keys sooner. If the option is set, a
   * timer drops them in a process without calls, too.
   */
  readonly sweepInterval?: Duration;
}

const NAMES: Readonly<Record<keyof MemoryStoreOptions, true>> = { ...CAPACITY_OPTION_NAMES, sweepInterval: true };
const DEFAULTS: CapacityDefaults = { ...HEAP_DEFAULTS, names: NAMES, maxKeys: 1_000_000 };
const SWEEP_INTERVAL_MS = 10_000;
/** Below the longest delay of a timer, 2^31 − 1 ms. A longer one overflows, and the timer fires at once. */
const LONGEST_TIMER_MS = 24 * 86_400_000;

/**
 * Keeps exact string keys and their counts in this process. Limiters of the same name and the same limits on one store
 * share their keys; a limiter without a name keeps its own. The store never forgets a key in use. Option `overflow`
 * says what happens to a new key when the store is full.
 *
 * @throws TollgateError `ERR_OPTION` if an option is unknown, `maxKeys` is not a whole number from 1 to 10 million,
 * `maxBytes` not one from 65,536 to 2^40, or `overflow` not a policy. `ERR_DURATION` unless `sweepInterval`
 * is whole milliseconds from 1 ms to 24 days.
 * @example
 * ```ts
 * import { createLimiter, memoryStore, perMinute } from "tollgate";
 *
 * const store = memoryStore({ maxKeys: 50_000, sweepInterval: "1m" });
 * const limiter = createLimiter({ name: "api", limits: [perMinute(100)], store });
 * console.log(limiter.allow("ann"), store.size, store.overflowCount); // true 1 0
 * store.close();
 * ```
 */
export function memoryStore(options: MemoryStoreOptions = {}): LocalStore {
  return new MemoryStore(options);
}

class MemoryStore implements LocalStore, SpaceStore, KeyTableStore {
  readonly kind = "sync";
  readonly label = "memory";
  readonly capacity: Capacity;
  readonly relatives: Relatives<PlanTable>;
  readonly resetLog: ResetLog;
  readonly texts: KeyTexts;
  readonly sweepIntervalUs: number;
  #keyHash: KeyHash | undefined;
  /** The text that was hashed last, and its hash. */
  #hashedText: string | undefined;
  #textHash = 0;
  readonly #tables = new Map<Scope, Map<string, KeyTable>>();
  readonly #sweeper: Sweeper;
  readonly #blocks: KeyBlocks;
  readonly #timer: SweepTimer | undefined;

  constructor(options: MemoryStoreOptions) {
    this.capacity = new Capacity("memoryStore", options, DEFAULTS);
    this.relatives = new Relatives(this);
    this.resetLog = new ResetLog(this.capacity);
    this.texts = new KeyTexts(this.capacity.secrets);
    this.#sweeper = new Sweeper(this.capacity, (table) => this.#retire(table));
    this.#blocks = new KeyBlocks(this.capacity, this.texts, (now) => this.#sweeper.reclaim(now, undefined));
    const { sweepInterval = SWEEP_INTERVAL_MS } = options;
    const intervalMs = checkDuration("sweepInterval", sweepInterval, 1, LONGEST_TIMER_MS);
    this.sweepIntervalUs = 1_000 * intervalMs;
    if (options.sweepInterval !== undefined)
      this.#timer = new SweepTimer(intervalMs, () => {
        this.#blocks.sweepStep();
        return this.#sweeper.sweepSlice();
      });
  }

  get maxKeys(): number {
    return this.capacity.maxKeys;
  }

  get size(): number {
    return this.capacity.size;
  }

  get maxBytes(): number {
    return this.capacity.maxBytes;
  }

  get bytes(): number {
    return this.capacity.bytes;
  }

  get overflowCount(): number {
    return this.capacity.overflowCount;
  }

  readings(): StoreReadings {
    return readingsOf(this.capacity, this.#blocks);
  }

  hashOf(text: string): number {
    // Tables ask one after another.
    if (text !== this.#hashedText) this.#hash(text);
    return this.#textHash;
  }

  placeHashOf(key: string): number {
    return this.hashOf(this.texts.of(key));
  }

  #hash(text: string): void {
    // Made by the first call: some runtimes draw no secrets before.
    this.#keyHash ??= new KeyHash(this.capacity.secrets.next());
    this.#keyHash.hash(text);
    this.#hashedText = text;
    this.#textHash = this.#keyHash.words[0]!;
  }

  open(plan: Plan, context: LimiterContext): SyncSpace {
    return new LocalSpace(plan, context, this);
  }

  blocks(scope: Scope, limiter: string, { clock }: LimiterContext): SyncBlocks {
    return this.#blocks.of(scope, limiter, clock);
  }

  close(): void {
    this.#timer?.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  find({ scope, id }: Plan): KeyTable | undefined {
    return this.#tables.get(scope)?.get(id);
  }

  make(plan: Plan, now: TimeCell, isChosenPerCall: boolean): KeyTable {
    const known = this.find(plan);
    if (known !== undefined) return known;
    // Not while bytes are short: a `peek` and the call after it must find the same number of them.
    if (2 * this.capacity.bytes < this.capacity.maxBytes) this.#sweeper.removeEmptyTables();
    const table = new KeyTable(plan, now, this);
    if (!this.capacity.fitsList(PlanTable.FIXED_BYTES, isChosenPerCall)) {
      table.retire();
      return table;
    }
    table.charge(PlanTable.FIXED_BYTES);
    const tables = this.#tables.get(plan.scope) ?? new Map<string, KeyTable>();
    this.#tables.set(plan.scope, tables.set(plan.id, table));
    this.#sweeper.add(table);
    return table;
  }

  reclaim(now: TimeCell, clock: Clock | undefined): void {
    this.#sweeper.reclaim(now, clock);
  }

  sweepStep(): void {
    this.#blocks.sweepStep();
    this.#sweeper.sweepStep();
    this.capacity.notify();
  }

  inserted(): void {
    this.#sweeper.inserted();
  }

  #retire(table: KeyTable): void {
    table.retire();
    const { scope, id } = table.plan;
    const tables = this.#tables.get(scope);
    tables?.delete(id);
    if (tables?.size === 0) this.#tables.delete(scope);
  }
}
