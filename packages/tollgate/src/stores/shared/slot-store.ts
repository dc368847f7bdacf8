import { CompiledPlan } from "../../algorithms/compiled-plan.ts";
import type { SyncBlocks } from "../../core/blocks.ts";
import { TollgateError } from "../../core/errors.ts";
import type { Plan, Scope } from "../../core/plan.ts";
import type { LimiterContext, SyncSpace } from "../../core/store.ts";
import type { StoreReadings } from "../../core/store-readings.ts";
import type { LocalStore } from "../local/local-store.ts";
import { FullSpace } from "./full-space.ts";
import { countKeys } from "./key-count.ts";
import { clearRowsAt, clearsOf, OVERFLOWED_AT, RESET_ROWS_AT, SWEPT_AT } from "./memory-layout.ts";
import type { Descriptions } from "./plan-descriptions.ts";
import type { SharedSpaceStore } from "./plan-keys.ts";
import type { PlanNumbers } from "./plan-rows.ts";
import { ResetLog } from "./reset-log.ts";
import type { SharedMemory } from "./shared-memory.ts";
import { SharedPlan } from "./shared-plan.ts";
import { type PlanView, SharedRelatives } from "./shared-relatives.ts";
import { SharedSpace } from "./shared-space.ts";
import type { SharedTable } from "./shared-table.ts";

/** The tables of a store, one for each width: the number of cells of a key. */
export interface Tables {
  /**
   * Returns the table for keys of this width, and makes it if it does not exist.
   *
   * @throws TollgateError `ERR_LIMITS` if there is not enough memory left for it.
   */
  tableOf(width: number): SharedTable;
  all(): readonly SharedTable[];
  /** The bytes of the header and all tables. */
  readonly bytes: number;
}

export interface SlotStoreParts {
  /** The header, with the counters and the log of resets. */
  readonly memory: SharedMemory;
  /** How many resets the header has. */
  readonly mostResets: number;
  readonly plans: PlanNumbers;
  readonly descriptions: Descriptions;
  readonly tables: Tables;
}

/** A store whose keys are slots of tables, in memory of one thread or of several. */
export abstract class SlotStore implements LocalStore, SharedSpaceStore {
  readonly kind = "sync";
  readonly keysOutliveSpaces = true;
  readonly relatives: SharedRelatives;
  readonly resets: ResetLog;
  readonly clears: ResetLog;
  readonly opened: Set<SharedPlan> = new Set();
  protected readonly plans: SlotStoreParts["plans"];
  protected readonly tables: Tables;
  readonly #memory: SharedMemory;
  readonly #descriptions: SlotStoreParts["descriptions"];

  constructor({ memory, mostResets, plans, descriptions, tables }: SlotStoreParts) {
    this.#memory = memory;
    this.plans = plans;
    this.#descriptions = descriptions;
    this.tables = tables;
    this.resets = new ResetLog(memory, RESET_ROWS_AT, mostResets);
    this.clears = new ResetLog(memory, clearRowsAt(mostResets), clearsOf(mostResets));
    this.relatives = new SharedRelatives(descriptions, (plan) => this.view(plan));
  }

  abstract readonly label: string;
  abstract readonly maxKeys: number;
  abstract readonly maxBytes: number;
  abstract readonly overflow: "share" | "deny";
  abstract open(plan: Plan, context: LimiterContext): SyncSpace;
  abstract blocks(scope: Scope, limiter: string, context: LimiterContext): SyncBlocks;
  /** What fingerprints are made with. */
  protected abstract readonly secret: Int32Array;
  /** How many keys are blocked. */
  protected abstract readonly blockedCount: number;

  /** A getter, because loggers write enumerable properties. */
  get memory(): SharedMemory {
    return this.#memory;
  }

  /** Scans all slots. */
  get size(): number {
    return this.tables.all().reduce((sum, { keys: { slots } }) => sum + slots.keyCount, 0);
  }

  get bytes(): number {
    return this.tables.bytes;
  }

  get overflowCount(): number {
    return Number(this.#memory.atomics.load(this.#memory.pairs, OVERFLOWED_AT / 2));
  }

  async readings(): Promise<StoreReadings> {
    const blocked = this.blockedCount;
    return {
      keys: await countKeys(this.tables.all().map(({ keys }) => keys.slots)),
      overflowed: this.overflowCount,
      swept: Number(this.#memory.atomics.load(this.#memory.pairs, SWEPT_AT / 2)),
      blocked,
    };
  }

  view(plan: Plan): PlanView {
    const table = this.tables.tableOf(widthOf(plan));
    const shared = new SharedPlan(plan, this.secret, this.plans, table.values, (nowUs) => this.earliestUs(nowUs));
    if (plan.onChange !== "separate") this.#descriptions.add(shared.number, plan);
    return { plan: shared, table };
  }

  /**
   * The space of a plan whose scope is text.
   *
   * @throws TollgateError `ERR_LIMITS` if there is no memory for fixed limits.
   */
  protected spaceOf(plan: Plan, context: LimiterContext): SyncSpace {
    try {
      return new SharedSpace(plan, context, this);
    } catch (error) {
      if (!(error instanceof TollgateError && context.choosesLimits === true)) throw error;
      return new FullSpace(plan, () => this.countOverflow());
    }
  }

  countSwept(keys: number): void {
    this.#memory.atomics.add(this.#memory.pairs, SWEPT_AT / 2, BigInt(keys));
  }

  countOverflow(): void {
    this.#memory.atomics.add(this.#memory.pairs, OVERFLOWED_AT / 2, 1n);
  }

  maintain(): void {}

  /** Threads that share a store have one clock. */
  protected earliestUs(nowUs: number): number {
    return nowUs;
  }

  /** Does nothing: the store has no timers. */
  close(): void {}

  [Symbol.dispose](): void {
    this.close();
  }
}

/** A slot itself has space for one cell, if that is a tick. All other cells lie in blocks of at least two. */
export function widthOf(plan: Plan): number {
  const { ticks, width } = new CompiledPlan(plan, 0);
  return ticks === undefined ? Math.max(2, width) : 1;
}
