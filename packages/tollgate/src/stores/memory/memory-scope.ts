import { countsName, isSameLimit, type Plan } from "../../core/plan.ts";
import type { TimeCell } from "../../core/time-cell.ts";
import { Family } from "./family.ts";
import { type RowScope, RowTable, type RowTableStore } from "./row-table.ts";
import { ScopeClocks } from "./scope-clocks.ts";

/** What a scope needs of its store. */
export interface MemoryScopeStore extends RowTableStore {
  /** Sweeps a new table from now on. */
  addTable(table: RowTable): void;
}

/** The tables of one scope in a memory store, one for each list of limits. */
export class MemoryScope implements RowScope {
  readonly clocks: ScopeClocks = new ScopeClocks();
  /** Tells the scope's resets from those of others. */
  readonly number: number;
  readonly #store: MemoryScopeStore;
  /** By a plan's id. */
  readonly #tables = new Map<string, RowTable>();
  /** Keyed by `countsName`. */
  readonly #families = new Map<string, Family<RowTable>>();

  constructor(store: MemoryScopeStore, number: number) {
    this.#store = store;
    this.number = number;
  }

  /** The plan's table, if there is one. */
  find({ id }: Plan): RowTable | undefined {
    return this.#tables.get(id);
  }

  /**
   * The plan's table, made if necessary. If limits are chosen per call and there are no bytes for another list, the
   * table is retired already.
   */
  tableOf(plan: Plan, now: TimeCell, isChosenPerCall: boolean): RowTable {
    const table = this.find(plan) ?? this.#make(plan, now, isChosenPerCall);
    if (plan.onChange !== "separate" && !table.retired) this.#joinFamily(table);
    return table;
  }

  #make(plan: Plan, now: TimeCell, isChosenPerCall: boolean): RowTable {
    const { capacity } = this.#store;
    const table = new RowTable(plan, now, this, new Family<RowTable>(capacity), this.#store);
    if (!capacity.fitsList(RowTable.FIXED_BYTES, isChosenPerCall)) {
      this.remove(table);
      return table;
    }
    table.charge(RowTable.FIXED_BYTES);
    this.#tables.set(plan.id, table);
    this.#store.addTable(table);
    return table;
  }

  /** Makes one family of all tables that have one of the table's limits. */
  #joinFamily(table: RowTable): void {
    for (const name of table.plan.limits.map(countsName)) {
      const family = this.#families.get(name);
      if (family !== undefined && family !== table.family) family.absorb(table.family);
      table.family.names.add(name);
      for (const each of table.family.names) this.#families.set(each, table.family);
    }
  }

  /** The tables that count a limit of the plan. */
  relativesOf(plan: Plan): RowTable[] {
    return this.#relatives(plan, ({ tables }) => [...tables]);
  }

  /** The tables that count the key with this text under a limit of the plan. */
  tablesWith(text: string, plan: Plan): RowTable[] {
    const hash = this.#store.texts.hashOf(text);
    return this.#relatives(plan, ({ index }) => index.tablesOf(text, hash));
  }

  #relatives(plan: Plan, tablesOf: (family: Family<RowTable>) => readonly RowTable[]): RowTable[] {
    // A limiter may have thousands of lists without tables, and resets a key under all of them.
    if (this.#tables.size === 0) return [];
    const own = this.find(plan);
    const found = new Set(own === undefined ? [] : [own]);
    if (plan.onChange === "separate") return [...found];
    const families = new Set(plan.limits.flatMap((limit) => this.#families.get(countsName(limit)) ?? []));
    for (const family of families) {
      for (const table of tablesOf(family)) if (shareLimits(plan, table.plan)) found.add(table);
    }
    return [...found];
  }

  /** The keys of all lists, some of them several times. */
  texts(): string[] {
    return [...this.#tables.values()].flatMap((table) => table.texts());
  }

  /** Lets an empty table go. */
  remove(table: RowTable): void {
    table.retire();
    if (this.find(table.plan) === table) this.#tables.delete(table.plan.id);
    const { family } = table;
    family.tables.delete(table);
    if (family.tables.size > 0) return;
    family.end();
    for (const name of family.names) this.#families.delete(name);
  }
}

/** Whether two lists have a limit that counts together. */
function shareLimits(one: Plan, other: Plan): boolean {
  return one.limits.some((limit) => other.limits.some((each) => isSameLimit(limit, each)));
}
