import { CompiledPlan } from "../../algorithms/compiled-plan.ts";
import type { SyncBlocks } from "../../core/blocks.ts";
import { type Clock, readUs } from "../../core/clock.ts";
import { TollgateError } from "../../core/errors.ts";
import type { Plan, Scope } from "../../core/plan.ts";
import type { LimiterContext, SyncSpace } from "../../core/store.ts";
import type { StoreReadings } from "../../core/store-readings.ts";
import { ClusterWarning } from "../local/cluster-warning.ts";
import { KeyHash, SECRET_WORDS } from "../local/key-hash.ts";
import type { LocalStore } from "../local/local-store.ts";
import { agreedClock } from "./agreed-clock.ts";
import { countKeys } from "./key-count.ts";
import { CLOCK_AT, MAX_KEYS_AT, OVERFLOW_AT, OVERFLOWED_AT, SECRET_AT, SWEPT_AT, THREADS_AT } from "./memory-layout.ts";
import { PlanDescriptions } from "./plan-descriptions.ts";
import { PlanRows } from "./plan-rows.ts";
import { ResetLog } from "./reset-log.ts";
import { countBlocked, SharedBlockedKeys } from "./shared-blocked-keys.ts";
import type { SharedMemory } from "./shared-memory.ts";
import { SharedPlan } from "./shared-plan.ts";
import { type PlanView, SharedRelatives } from "./shared-relatives.ts";
import { SharedSpace, type SharedSpaceStore } from "./shared-space.ts";
import type { SharedStoreHandle } from "./shared-store-handle.ts";
import { TableDirectory } from "./table-directory.ts";

/** The policies, each at its number in shared memory. */
export const OVERFLOW = ["share", "deny"] as const;

/** A store whose counts are in memory that threads share. */
export interface SharedStore extends LocalStore {
  /** Other threads pass it to `sharedStore.attach`. `postMessage` can clone it. */
  readonly handle: SharedStoreHandle;
  /** A clock on which all threads agree: the default of limiters over this store. */
  readonly clock: Clock;
}

/** One thread's attachment to a store. */
export class StoreInThread implements SharedStore, SharedSpaceStore {
  readonly kind = "sync";
  readonly label = "shared";
  readonly keepsSpaces = true;
  /** Derived from the memory's secret, because each attachment has other objects for the same bytes. */
  readonly identity: string;
  readonly maxKeys: number;
  readonly overflow: "share" | "deny";
  readonly handle: SharedStoreHandle;
  readonly clock: Clock;
  readonly relatives: SharedRelatives;
  readonly resets: ResetLog;
  readonly opened: Plan[] = [];
  readonly #rows: PlanRows;
  readonly #descriptions: PlanDescriptions;
  readonly #secret: Int32Array;
  readonly #memory: SharedMemory;
  readonly #clusterWarning: ClusterWarning;
  readonly #tables: TableDirectory;
  /** By this clock metrics count the keys that are blocked: all limiters have the same one, unless told otherwise. */
  #clockOfBlocks: Clock;

  constructor(
    memory: SharedMemory,
    handle: SharedStoreHandle,
    clusterWarning: ClusterWarning = new ClusterWarning("sharedStore", true),
  ) {
    const { words, numbers, atomics } = memory;
    this.#memory = memory;
    this.#clusterWarning = clusterWarning;
    this.handle = handle;
    this.maxKeys = words[MAX_KEYS_AT]!;
    this.overflow = OVERFLOW[words[OVERFLOW_AT]!] ?? "share";
    this.#secret = words.slice(SECRET_AT, SECRET_AT + SECRET_WORDS);
    this.identity = identityOf(this.#secret);
    this.clock = agreedClock(numbers[CLOCK_AT / 2]!);
    this.#clockOfBlocks = this.clock;
    this.resets = new ResetLog(memory);
    this.#rows = new PlanRows(memory);
    this.#descriptions = new PlanDescriptions(memory);
    this.relatives = new SharedRelatives(this.#descriptions, (plan) => this.view(plan));
    this.#tables = new TableDirectory(memory, this.#rows, this.maxKeys, atomics.add(words, THREADS_AT, 1) >>> 0);
  }

  /** A getter, because loggers write enumerable properties. */
  get memory(): SharedMemory {
    return this.#memory;
  }

  /** Scans all slots. */
  get size(): number {
    return this.#tables.all().reduce((sum, { keys: { slots } }) => sum + slots.keyCount, 0);
  }

  get maxBytes(): number {
    return this.#memory.words.byteLength;
  }

  /** The part of the reserved memory that the tables take, with their overflow buckets. */
  get bytes(): number {
    return this.#tables.bytes;
  }

  get overflowCount(): number {
    return Number(this.#memory.atomics.load(this.#memory.pairs, OVERFLOWED_AT / 2));
  }

  /**
   * @throws TollgateError `ERR_NAME` for a limiter without a name, `ERR_LIMITS` if there is not enough memory for its
   * limits.
   */
  open(plan: Plan, context: LimiterContext): SyncSpace {
    if (typeof plan.scope !== "string") {
      throw new TollgateError(
        "ERR_NAME",
        "name: expected a name, by which all threads identify the limiter, got undefined",
      );
    }
    this.#clusterWarning.opened(context);
    const space = new SharedSpace(plan, context, this);
    this.opened.push(plan);
    return space;
  }

  release(plan: Plan): void {
    const at = this.opened.indexOf(plan);
    if (at >= 0) this.opened.splice(at, 1);
  }

  view(plan: Plan): PlanView {
    const table = this.#tables.tableOf(widthOf(plan));
    const shared = new SharedPlan(plan, this.#secret, this.#rows, table.values);
    if (plan.onChange !== "separate") this.#descriptions.add(shared.number, plan);
    return { plan: shared, table };
  }

  blocks(scope: Scope, limiter: string, { clock }: LimiterContext): SyncBlocks {
    this.#clockOfBlocks = clock;
    const table = () => this.#tables.blockedKeys();
    const rows = this.#rows;
    return new SharedBlockedKeys(scope, limiter, { memory: this.#memory, rows, secret: this.#secret, table });
  }

  /** Does nothing: the store has no timers. */
  close(): void {}

  [Symbol.dispose](): void {
    this.close();
  }

  async readings(): Promise<StoreReadings> {
    const nowUs = readUs(this.#clockOfBlocks);
    const blockedKeys = this.#tables.madeForBlocked;
    return {
      keys: await countKeys(this.#tables.all().map(({ keys }) => keys.slots)),
      overflowed: this.overflowCount,
      swept: Number(this.#memory.atomics.load(this.#memory.pairs, SWEPT_AT / 2)),
      blocked: blockedKeys === undefined ? 0 : countBlocked(blockedKeys, nowUs),
    };
  }

  countSwept(keys: number): void {
    this.#memory.atomics.add(this.#memory.pairs, SWEPT_AT / 2, BigInt(keys));
  }

  countOverflow(): void {
    this.#memory.atomics.add(this.#memory.pairs, OVERFLOWED_AT / 2, 1n);
  }
}

/** A slot itself has space for one cell, if that is a tick. All other cells lie in blocks of at least two. */
function widthOf(plan: Plan): number {
  const { ticks, width } = new CompiledPlan(plan, 0);
  return ticks === undefined ? Math.max(2, width) : 1;
}

/** A one-way hash: it does not reveal the secret. */
function identityOf(secret: Int32Array): string {
  const hash = new KeyHash(secret);
  hash.hash("identity");
  return `sharedStore ${hash.words.join(" ")}`;
}
