import { countsName, type Plan } from "../../core/plan.ts";
import { Family } from "./family.ts";
import { KeyPlaces, TablePlaces } from "./key-places.ts";

/** A table that may have relatives. */
export interface Relative {
  readonly plan: Plan;
  /** How many keys it has. */
  readonly size: number;
}

/** What relatives need of their store. */
export interface RelativesStore {
  readonly capacity: { bytes: number };
  /** A keyed hash of a key, the same for all tables. */
  placeHashOf(key: string): number;
}

/**
 * The tables and the open spaces of one scope in one store. Tables whose plans have limits that count together
 * (`countsName`) are relatives: a key is counted under such limits in one of them at a time. Plans with separate counts
 * have no relatives.
 */
export class Families<Table extends Relative> {
  /** Keyed by `countsName`. */
  readonly #byName = new Map<string, Family<Table>>();
  /** By a plan's id, how many spaces count under its own numbers. */
  readonly #openSpaces = new Map<string, number>();
  /** How many tables have joined. */
  #tables = 0;
  /** Where the keys of the tables are that are not asked for each key. */
  #places: KeyPlaces<Table> | undefined;
  readonly #store: RelativesStore;

  constructor(store: RelativesStore) {
    this.#store = store;
  }

  /** Counts a space of a plan, which may have no table yet. */
  open(plan: Plan): void {
    const spaces = this.#openSpaces.get(plan.id) ?? 0;
    this.#openSpaces.set(plan.id, spaces + 1);
    if (spaces === 0) for (const family of this.#make(plan)) family.open(plan);
  }

  /** A space of a plan is closed. */
  close(plan: Plan): void {
    const left = (this.#openSpaces.get(plan.id) ?? 0) - 1;
    if (left > 0) {
      this.#openSpaces.set(plan.id, left);
      return;
    }
    this.#openSpaces.delete(plan.id);
    for (const family of this.#of(plan)) family.close(plan);
    this.#dropEmpty(plan);
  }

  join(table: Table): Membership<Table> {
    this.#tables += 1;
    const families = this.#make(table.plan);
    for (const { tables } of families) tables.add(table);
    return new Membership(this, families, table, this.#placesFor(table, families));
  }

  /** A table without keys goes. */
  leave(table: Table): void {
    this.#tables -= 1;
    for (const family of this.#of(table.plan)) family.delete(table);
    this.#dropEmpty(table.plan);
  }

  get hasTables(): boolean {
    return this.#tables > 0;
  }

  /** The tables whose plans have a limit that counts together with one of this plan's, each once. */
  relativesOf(plan: Plan): Table[] {
    return [...new Set(this.#of(plan).flatMap(({ tables }) => [...tables]))];
  }

  /** Works like `relativesOf`, for tables that may have a key. */
  relativesWith(key: string, plan: Plan): Table[] {
    return this.tablesWith(key, this.#of(plan));
  }

  /** The relatives that no space has as its own. Each counts as a part of one plan. */
  formerOf(plan: Plan): Table[] {
    const found = this.#of(plan).flatMap(({ firstOpen = plan, tables }) =>
      // With thousands of plans, all others end here.
      firstOpen.id === plan.id
        ? [...tables].filter(({ plan: { id } }) => id !== plan.id && !this.#openSpaces.has(id))
        : [],
    );
    return [...new Set(found)].filter((table) => (this.#firstOpenOf(table.plan) ?? plan).id === plan.id);
  }

  /** The tables of these families that may have a key, each once, without one of them. */
  tablesWith(key: string, families: readonly Family<Table>[], own?: Table): Table[] {
    const found: Table[] = [];
    for (const { asked } of families) {
      for (const table of asked) if (table !== own && table.size > 0 && !found.includes(table)) found.push(table);
    }
    if (this.#places === undefined) return found;
    for (const table of this.#places.tablesOf(this.#store.placeHashOf(key))) {
      if (table === own || found.includes(table)) continue;
      if (families.some(({ tables }) => tables.has(table))) found.push(table);
    }
    return found;
  }

  /** @returns where the index has the keys of a new table; `undefined` if it has not. */
  #placesFor(table: Table, families: readonly Family<Table>[]): TablePlaces<Table> | undefined {
    // The index would not know the keys that the table has already.
    if (table.size > 0 || families.every(({ asksFew }) => asksFew)) {
      for (const { asked } of families) asked.push(table);
      return undefined;
    }
    const { capacity } = this.#store;
    this.#places ??= new KeyPlaces((bytes) => {
      capacity.bytes += bytes;
    });
    return new TablePlaces(this.#places, table);
  }

  /** The plan of which the keys of a former table are a part. */
  #firstOpenOf(former: Plan): Plan | undefined {
    return this.#of(former).find(({ firstOpen }) => firstOpen !== undefined)?.firstOpen;
  }

  /** The families of a plan's limits. */
  #of({ limits }: Plan): Family<Table>[] {
    return limits.flatMap((limit) => this.#byName.get(countsName(limit)) ?? []);
  }

  /** Works like `#of`, and makes those that are missing. */
  #make({ limits }: Plan): Family<Table>[] {
    return limits.map(countsName).map((name) => {
      const family = this.#byName.get(name) ?? new Family<Table>();
      this.#byName.set(name, family);
      return family;
    });
  }

  /** Lets the families of a plan go that have nothing. */
  #dropEmpty({ limits }: Plan): void {
    for (const name of limits.map(countsName)) if (this.#byName.get(name)?.isEmpty) this.#byName.delete(name);
  }
}

/** What a table knows of its relatives. */
export class Membership<Table extends Relative> {
  /** Set if the relatives find the table's keys by an index, which has to know each. */
  readonly places: TablePlaces<Table> | undefined;
  readonly #scope: Families<Table>;
  readonly #families: readonly Family<Table>[];
  readonly #table: Table;

  constructor(
    scope: Families<Table>,
    families: readonly Family<Table>[],
    table: Table,
    places: TablePlaces<Table> | undefined,
  ) {
    this.#scope = scope;
    this.#families = families;
    this.#table = table;
    this.places = places;
  }

  /** Whether one of the families has more tables than `own`. */
  hasMoreThan(own: number): boolean {
    for (const { tables } of this.#families) if (tables.size > own) return true;
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
