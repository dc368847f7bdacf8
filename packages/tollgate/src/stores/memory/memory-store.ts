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
import { isKeptAsItIs, KeyTexts } from "../local/key-texts.ts";
import { CAPACITY_OPTION_NAMES, type CapacityOptions, type LocalStore } from "../local/local-store.ts";
import { ResetLog } from "../local/reset-log.ts";
import { MemoryScope, type MemoryScopeStore } from "./memory-scope.ts";
import { MemorySpace } from "./memory-space.ts";
import type { RowTable } from "./row-table.ts";
import type { SpaceStore } from "./space-store.ts";
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

/** A store of exact keys in this process. */
export interface MemoryStore extends LocalStore {
  /**
   * The keys that limiters of this name have counted, idle ones among them: numbers as texts, tuples as JSON. Keys of
   * more than 256 characters are left out, because the store keeps digests of them.
   *
   * @example
   * ```ts
   * import { createLimiter, memoryStore, perMinute } from "tollgate";
   *
   * const store = memoryStore();
   * const limiter = createLimiter({ name: "api", limits: [perMinute(100)], store });
   * limiter.consume("ann", 30);
   * console.log(store.keys("api")); // [ 'ann' ]
   * ```
   */
  keys(name: string): string[];
}

const NAMES: Readonly<Record<keyof MemoryStoreOptions, true>> = { ...CAPACITY_OPTION_NAMES, sweepInterval: true };
const DEFAULTS: CapacityDefaults = { ...HEAP_DEFAULTS, names: NAMES, maxKeys: 1_000_000 };
const SWEEP_INTERVAL_MS = 10_000;
/** With so many scopes, those go that nothing refers to. */
const MANY_SCOPES = 64;
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
export function memoryStore(options: MemoryStoreOptions = {}): MemoryStore {
  return new ExactStore(options);
}

class ExactStore implements MemoryStore, SpaceStore, MemoryScopeStore {
  readonly kind = "sync";
  readonly label = "memory";
  readonly capacity: Capacity;
  readonly resetLog: ResetLog;
  readonly sweepIntervalUs: number;
  readonly texts: KeyTexts = new KeyTexts();
  /** Held weakly: a scope lives as long as a space or a table. A limiter may be dropped without being closed. */
  readonly #scopes = new Map<Scope, WeakRef<MemoryScope>>();
  #scopesMade = 0;
  #crowdedAt = MANY_SCOPES;
  readonly #sweeper: Sweeper;
  readonly #blocks: KeyBlocks;
  readonly #timer: SweepTimer | undefined;

  constructor(options: MemoryStoreOptions) {
    this.capacity = new Capacity("memoryStore", options, DEFAULTS);
    this.resetLog = new ResetLog(this.capacity);
    this.#sweeper = new Sweeper(this.capacity);
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

  open(plan: Plan, context: LimiterContext): SyncSpace {
    return new MemorySpace(plan, context, this.#scopeOf(plan.scope), this);
  }

  blocks(scope: Scope, limiter: string, { clock }: LimiterContext): SyncBlocks {
    return this.#blocks.of(scope, limiter, clock);
  }

  keys(name: string): string[] {
    const texts = this.#scopes.get(name)?.deref()?.texts() ?? [];
    return [...new Set(texts.filter(isKeptAsItIs))];
  }

  close(): void {
    this.#timer?.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  addTable(table: RowTable): void {
    this.#sweeper.add(table);
  }

  removeTable(table: RowTable): void {
    this.#sweeper.remove(table);
  }

  reclaim(now: TimeCell, clock: Clock): void {
    this.#sweeper.reclaim(now, clock);
  }

  sweepStep(): void {
    this.#blocks.sweepStep();
    this.#sweeper.sweepStep();
    this.capacity.notify();
  }

  #scopeOf(scope: Scope): MemoryScope {
    const known = this.#scopes.get(scope)?.deref();
    if (known !== undefined) return known;
    this.#scopesMade += 1;
    const made = new MemoryScope(this, this.#scopesMade);
    this.#scopes.set(scope, new WeakRef(made));
    if (this.#scopes.size >= this.#crowdedAt) this.#dropUnreferenced();
    return made;
  }

  #dropUnreferenced(): void {
    for (const [scope, reference] of this.#scopes) if (reference.deref() === undefined) this.#scopes.delete(scope);
    this.#crowdedAt = Math.max(MANY_SCOPES, 2 * this.#scopes.size);
  }
}
