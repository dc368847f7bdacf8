import type { Plan } from "../../core/plan.ts";

/** A family asks so many tables one after another. An index knows the keys of those that join later. */
const MOST_ASKED = 4;

const NO_TABLES: ReadonlySet<never> = new Set<never>();

/** Tables of one scope with limits of one `countsName`. Most families are one table, so sets are lazy. */
export class Family<Table extends { readonly plan: Plan }> {
  /** The tables that are asked for each key, because the index does not know theirs. */
  readonly asked: Table[] = [];
  readonly tables: Set<Table> = new Set();
  #open: Map<string, Plan> | undefined;
  #buckets: Map<number, Set<Table>> | undefined;

  /** Whether it has no tables, and no plans with open spaces. */
  get isEmpty(): boolean {
    return this.tables.size === 0 && (this.#open === undefined || this.#open.size === 0);
  }

  get asksFew(): boolean {
    return this.asked.length < MOST_ASKED;
  }

  delete(table: Table): void {
    this.tables.delete(table);
    const at = this.asked.indexOf(table);
    if (at >= 0) this.asked.splice(at, 1);
  }

  /** The plan has open spaces from now on. */
  open(plan: Plan): void {
    this.#open ??= new Map();
    this.#open.set(plan.id, plan);
  }

  /** The plan has no open spaces any more. */
  close({ id }: Plan): void {
    this.#open?.delete(id);
  }

  /** Among the plans with open spaces, the one that was opened first. */
  get firstOpen(): Plan | undefined {
    const [first] = this.#open?.values() ?? [];
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
