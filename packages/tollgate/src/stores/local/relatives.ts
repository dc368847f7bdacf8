import type { Limit } from "../../core/limits/limit.ts";
import type { Plan, Scope } from "../../core/plan.ts";
import { Family } from "./family.ts";
import { KeyPlaces, TablePlaces } from "./key-places.ts";

/** A table that may have relatives. */
export interface Relative {
  readonly plan: Plan;
  readonly users: { spaces: number };
  /** How many keys it has. */
  readonly size: number;
}

/** What relatives need of their store. */
export interface RelativesStore {
  readonly capacity: { bytes: number };
  /** A keyed hash of a key, the same for all tables. */
  placeHashOf(key: string): number;
}

/** The tables of one scope. */
export class Families<Table extends Relative> {
  readonly byName: Map<string, Family<Table>> = new Map();
  /** How many tables have joined. */
  tables = 0;
  /** Where the keys of the tables are that are not asked for each key. */
  places: KeyPlaces<Table> | undefined = undefined;
  readonly #store: RelativesStore;

  constructor(store: RelativesStore) {
    this.#store = store;
  }

  /** The families of a plan's limits. */
  of({ limits }: Plan): Family<Table>[] {
    return limits.flatMap((limit) => this.byName.get(nameOf(limit)) ?? []);
  }

  add(table: Table): void {
    this.tables += 1;
    for (const limit of table.plan.limits) {
      const family = this.byName.get(nameOf(limit)) ?? new Family<Table>();
      this.byName.set(nameOf(limit), family);
      family.put(table, table.users.spaces > 0);
    }
  }

  /** Lets the families of a plan go that have nothing. */
  dropEmpty({ limits }: Plan): void {
    for (const limit of limits) {
      const family = this.byName.get(nameOf(limit));
      if (family?.size === 0 && family.absent.size === 0) this.byName.delete(nameOf(limit));
    }
  }

  /** The tables of these families that may have a key, each once, without one of them. */
  tablesWith(key: string, families: readonly Family<Table>[], own?: Table): Table[] {
    const found: Table[] = [];
    for (const { asked } of families) {
      for (const table of asked) if (table !== own && table.size > 0 && !found.includes(table)) found.push(table);
    }
    if (this.places === undefined) return found;
    for (const table of this.places.tablesOf(this.#store.placeHashOf(key))) {
      if (table === own || found.includes(table)) continue;
      if (families.some((family) => family.has(table))) found.push(table);
    }
    return found;
  }

  /** @returns where the index has the keys of a new table; `undefined` if it has not. */
  placesFor(table: Table): TablePlaces<Table> | undefined {
    const families = this.of(table.plan);
    // The index would not know the keys that the table has already.
    if (table.size > 0 || families.every(({ asksFew }) => asksFew)) {
      for (const { asked } of families) asked.push(table);
      return undefined;
    }
    const { capacity } = this.#store;
    this.places ??= new KeyPlaces((bytes) => {
      capacity.bytes += bytes;
    });
    return new TablePlaces(this.places, table);
  }
}

/** What a table knows of its relatives. */
export class Membership<Table extends Relative> {
  /** Set if the relatives find the table's keys by an index, which has to know each. */
  readonly places: TablePlaces<Table> | undefined;
  readonly #scope: Families<Table>;
  readonly #families: readonly Family<Table>[];
  readonly #table: Table;

  constructor(scope: Families<Table>, table: Table) {
    this.#scope = scope;
    this.#families = scope.of(table.plan);
    this.#table = table;
    this.places = scope.placesFor(table);
  }

  /** Whether one of the families has more tables than `own`. */
  hasMoreThan(own: number): boolean {
    for (const { size } of this.#families) if (size > own) return true;
    return false;
  }

  /** The other tables that may have a key, each once. */
  tablesWith(key: string): Table[] {
    return this.#scope.tablesWith(key, this.#families, this.#table);
  }

  /** The other tables whose overflow bucket of this number may count, each once. */
  tablesInBucket(bucket: number): Table[] {
    const tables = this.#families.flatMap((family) => [...family.inBucket(bucket)]);
    return [...new Set(tables)].filter((table) => table !== this.#table);
  }

  /** A bucket of the table may count from now on. */
  useBucket(bucket: number): void {
    for (const family of this.#families) family.useBucket(bucket, this.#table);
  }

  /** A bucket of the table is idle. */
  leaveBucket(bucket: number): void {
    for (const family of this.#families) family.leaveBucket(bucket, this.#table);
  }

  /** The table has no buckets any more. */
  leaveBuckets(): void {
    for (const family of this.#families) family.leaveBuckets(this.#table);
  }
}

/**
 * The tables of one store that are relatives: tables of one scope whose plans have a limit of the same name. A key and
 * a name are counted in one of them at a time. Tables of plans with separate counts have no relatives.
 */
export class Relatives<Table extends Relative> {
  readonly #scopes = new Map<Scope, Families<Table>>();
  readonly #store: RelativesStore;

  constructor(store: RelativesStore) {
    this.#store = store;
  }

  join(table: Table): Membership<Table> {
    const { scope } = table.plan;
    const families = this.#scopes.get(scope) ?? new Families<Table>(this.#store);
    this.#scopes.set(scope, families);
    families.add(table);
    return new Membership(families, table);
  }

  /** A table without keys goes. */
  leave(table: Table): void {
    const { scope } = table.plan;
    const families = this.#scopes.get(scope);
    if (families === undefined) return;
    for (const family of families.of(table.plan)) {
      family.delete(table);
      if (table.users.spaces > 0) family.addAbsent(table.plan);
    }
    families.dropEmpty(table.plan);
    families.tables -= 1;
    if (families.tables === 0) this.#scopes.delete(scope);
  }

  /** A space has found the plan's table. */
  open(table: Table): void {
    table.users.spaces += 1;
    this.#noteUse(table);
    this.forgetAbsent(table.plan);
  }

  /** A space that used the table is closed. */
  close(table: Table): void {
    table.users.spaces -= 1;
    this.#noteUse(table);
  }

  /** A space has found the plan's table, or is closed. */
  forgetAbsent(plan: Plan): void {
    const families = this.#scopes.get(plan.scope);
    if (families === undefined) return;
    for (const family of families.of(plan)) family.deleteAbsent(plan);
    families.dropEmpty(plan);
  }

  /** The tables that have a limit of the same name as this plan, each once. */
  of(plan: Plan): Table[] {
    const families = this.#scopes.get(plan.scope)?.of(plan) ?? [];
    return [...new Set(families.flatMap(({ used, former }) => [...used, ...former]))];
  }

  /** Works like `of`, for tables that may have a key. */
  tablesWith(key: string, plan: Plan): Table[] {
    const families = this.#scopes.get(plan.scope);
    return families?.tablesWith(key, families.of(plan)) ?? [];
  }

  /** The relatives that no limiter asks under their own numbers any more. Each counts as part of one plan. */
  formerOf(plan: Plan): Table[] {
    const families = this.#scopes.get(plan.scope);
    if (families === undefined) return [];
    const found = families.of(plan).flatMap(({ former, firstUsed, firstAbsent, absent }) => {
      // With thousands of plans, all others end here.
      const user = firstUsed ?? firstAbsent ?? plan;
      return user.id === plan.id ? [...former].filter(({ plan: { id } }) => id !== plan.id && !absent.has(id)) : [];
    });
    return [...new Set(found)].filter((table) => this.#userOf(table, families, plan).id === plan.id);
  }

  /** The plan in use of which the keys of a former table are a part. */
  #userOf({ plan }: Table, families: Families<Table>, asking: Plan): Plan {
    const own = families.of(plan);
    const [used] = own.flatMap(({ firstUsed }) => firstUsed ?? []);
    const [absent] = own.flatMap(({ firstAbsent }) => firstAbsent ?? []);
    return used ?? absent ?? asking;
  }

  #noteUse(table: Table): void {
    for (const family of this.#scopes.get(table.plan.scope)?.of(table.plan) ?? []) {
      if (family.has(table)) family.put(table, table.users.spaces > 0);
    }
  }
}

function nameOf({ name, unit }: Limit): string {
  return `${unit}\n${name}`;
}
