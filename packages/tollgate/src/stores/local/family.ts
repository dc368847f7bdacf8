import type { Plan } from "../../core/plan.ts";

/** A family asks so many tables one after another. An index knows the keys of those that join later. */
const MOST_ASKED = 4;

const NO_TABLES: ReadonlySet<never> = new Set<never>();
const NO_PLANS: ReadonlyMap<string, Plan> = new Map<string, Plan>();

/** Tables of one scope whose plans have a limit of one name and unit. Most families are one table, so sets are lazy. */
export class Family<Table extends { readonly plan: Plan }> {
  /** The tables that are asked for each key, because the index does not know theirs. */
  readonly asked: Table[] = [];
  readonly #used = new Set<Table>();
  #former: Set<Table> | undefined;
  #absent: Map<string, Plan> | undefined;
  #buckets: Map<number, Set<Table>> | undefined;

  /** Tables with open spaces. */
  get used(): ReadonlySet<Table> {
    return this.#used;
  }

  /** The other tables. */
  get former(): ReadonlySet<Table> {
    return this.#former ?? NO_TABLES;
  }

  /** By their ids, the plans of spaces whose tables were empty and have gone. A moved key may have made them again. */
  get absent(): ReadonlyMap<string, Plan> {
    return this.#absent ?? NO_PLANS;
  }

  get size(): number {
    return this.#used.size + this.former.size;
  }

  get asksFew(): boolean {
    return this.asked.length < MOST_ASKED;
  }

  has(table: Table): boolean {
    return this.#used.has(table) || this.former.has(table);
  }

  /** Adds a table, or notes whether it has open spaces. */
  put(table: Table, isUsed: boolean): void {
    if (isUsed) {
      this.#former?.delete(table);
      this.#used.add(table);
    } else {
      this.#used.delete(table);
      this.#former ??= new Set();
      this.#former.add(table);
    }
  }

  delete(table: Table): void {
    this.#used.delete(table);
    this.#former?.delete(table);
    const at = this.asked.indexOf(table);
    if (at >= 0) this.asked.splice(at, 1);
  }

  addAbsent(plan: Plan): void {
    this.#absent ??= new Map();
    this.#absent.set(plan.id, plan);
  }

  deleteAbsent({ id }: Plan): void {
    this.#absent?.delete(id);
  }

  /** The plan of a table with open spaces. */
  get firstUsed(): Plan | undefined {
    const [first] = this.#used;
    return first?.plan;
  }

  get firstAbsent(): Plan | undefined {
    const [first] = this.absent.values();
    return first;
  }

  /** The tables whose overflow bucket of this number may count. */
  inBucket(bucket: number): ReadonlySet<Table> {
    return this.#buckets?.get(bucket) ?? NO_TABLES;
  }

  /** A bucket of the table may count from now on. */
  useBucket(bucket: number, table: Table): void {
    this.#buckets ??= new Map();
    const tables = this.#buckets.get(bucket) ?? new Set<Table>();
    this.#buckets.set(bucket, tables.add(table));
  }

  /** A bucket of the table is idle. */
  leaveBucket(bucket: number, table: Table): void {
    const tables = this.#buckets?.get(bucket);
    tables?.delete(table);
    if (tables?.size === 0) this.#buckets?.delete(bucket);
  }

  /** The table has no buckets any more. */
  leaveBuckets(table: Table): void {
    for (const bucket of this.#buckets?.keys() ?? []) this.leaveBucket(bucket, table);
  }
}
