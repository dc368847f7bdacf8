import { CompiledPlan } from "../../algorithms/compiled-plan.ts";
import type { Plan, Scope } from "../../core/plan.ts";
import type { Host, SyncSpace } from "../../core/store.ts";
import type { HoldingSpace } from "../local/local-hold.ts";
import { LocalSpace, type SpaceKeeper } from "../local/local-space.ts";
import { CALLS_PER_STEP, type LocalStore, Room, type RoomOptions } from "../local/local-store.ts";
import { PlanSlots } from "./plan-slots.ts";
import { SlotHold } from "./slot-hold.ts";
import { SlotTable } from "./slot-table.ts";

/** How many keys a table has room for. */
export interface TableStoreOptions extends RoomOptions {
  /**
   * The keys that there is room for, of all limiters of the store: a whole number from 1 to 10 million. Their memory is
   * allocated when a limiter is made: about 40 bytes a key for one token bucket, and 18 more for every other cell. Limiters
   * whose limits have the same number of cells share it.
   */
  readonly maxKeys: number;
}

/**
 * Keeps counts in a table of fixed size: a set-associative table of 64-bit keyed fingerprints, without the keys
 * themselves (but for up to 4,096 recent ones) and without an object or a timer for any. A key that is as good as new is free space: nothing has to be swept.
 *
 * Two keys whose fingerprints collide share a count. Fingerprints are HalfSipHash-1-3 under a random secret: among ten
 * million keys that happens with a probability of 1 in 370,000, and nobody can choose such keys.
 *
 * @throws TollgateError `ERR_OPTION` when `maxKeys` is no whole number from 1 to 10 million, or `overflow` no policy.
 * @example
 * ```ts
 * import { createLimiter, perMinute } from "tollgate";
 * import { tableStore } from "tollgate/table";
 *
 * const store = tableStore({ maxKeys: 100_000 });
 * const limiter = createLimiter({ name: "api", limits: [perMinute(2)], store });
 * console.log(limiter.allow("ann"), limiter.allow("ann"), limiter.allow("ann")); // true true false
 * console.log(store.size, store.overflowed); // 1 0
 * ```
 */
export function tableStore(options: TableStoreOptions): LocalStore {
  return new TableStore(options);
}

class TableStore implements LocalStore, SpaceKeeper {
  readonly kind = "sync";
  readonly room: Room;
  /** Each for another number of cells that a key needs. */
  readonly #tables: SlotTable[] = [];
  /** Whether some table has had many plans, so that it has to be looked after. */
  #crowded = false;
  readonly #plans = new Map<Scope, Map<string, PlanSlots>>();

  constructor(options: TableStoreOptions) {
    this.room = new Room("tableStore", options);
  }

  get maxKeys(): number {
    return this.room.maxKeys;
  }

  get size(): number {
    return this.room.size;
  }

  get overflowed(): number {
    return this.room.overflowed;
  }

  open(plan: Plan, host: Host): SyncSpace {
    this.#tableFor(plan);
    return new LocalSpace(plan, host, this);
  }

  /** Nothing runs in the background. */
  close(): void {}

  [Symbol.dispose](): void {
    this.close();
  }

  find({ scope, id }: Plan): PlanSlots | undefined {
    return this.#plans.get(scope)?.get(id);
  }

  make(plan: Plan, nowUs: number): PlanSlots {
    const known = this.find(plan);
    if (known !== undefined) return known;
    const table = this.#tableFor(plan);
    const made = new PlanSlots(plan, nowUs, table, (letGo) => this.#retire(letGo));
    if (table.isCrowded) this.#crowded = true;
    const plans = this.#plans.get(plan.scope) ?? new Map<string, PlanSlots>();
    this.#plans.set(plan.scope, plans.set(plan.id, made));
    return made;
  }

  step(): void {
    this.room.callsUntilStep = CALLS_PER_STEP;
    if (!this.#crowded) return;
    for (const table of this.#tables) table.step();
  }

  inserted(): void {}

  hold(space: HoldingSpace, key: string): SlotHold {
    return new SlotHold(space, key);
  }

  #tableFor(plan: Plan): SlotTable {
    const { width } = new CompiledPlan(plan, 0);
    const known = this.#tables.find(({ slots }) => slots.width === width);
    if (known !== undefined) return known;
    const table = new SlotTable(width, this.room);
    this.#tables.push(table);
    return table;
  }

  #retire({ plan: { scope, id } }: PlanSlots): void {
    const plans = this.#plans.get(scope);
    plans?.delete(id);
    if (plans?.size === 0) this.#plans.delete(scope);
  }
}
