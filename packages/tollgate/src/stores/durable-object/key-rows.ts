import { compileLimit } from "../../algorithms/compile-limit.ts";
import type { Limit } from "../../core/limits/limit.ts";
import { decodeLimit, encodeLimit } from "../cluster/encode.ts";
import type { LimitWords } from "../cluster/messages.ts";
import type { LimitsObjectStorage } from "./object-types.ts";

/** What a key has used under one limit. Never changed in place. */
export interface LimitCounts {
  readonly limit: Limit;
  /** The origin of the cells. */
  readonly originUs: number;
  /** The number of the decision that began these counts. What earlier decisions took is not in them. */
  readonly since: number;
  /** From then on the counts are idle if nothing else arrives, by the clock of their limiter. */
  readonly idleUs: number;
  readonly cells: Float64Array;
}

/** All that counts against one key, each limit once. */
export type KeyRow = readonly LimitCounts[];

/** The limits of a row, and how many cells each has. */
interface Layout {
  readonly limits: readonly Limit[];
  readonly sizes: readonly number[];
}

interface LoadedRow {
  readonly space: number;
  readonly key: string;
  readonly before: KeyRow;
  after: KeyRow;
  skewUs: number;
}

const SCHEMA = `
CREATE TABLE IF NOT EXISTS tollgate_texts (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);
CREATE TABLE IF NOT EXISTS tollgate_rows (
  space INTEGER NOT NULL, key TEXT NOT NULL, layout INTEGER NOT NULL, cells BLOB NOT NULL,
  idle_us REAL NOT NULL, skew_us REAL NOT NULL, PRIMARY KEY (space, key)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS tollgate_blocks (
  space INTEGER NOT NULL, key TEXT NOT NULL, until_us REAL NOT NULL, offences REAL NOT NULL, forget_us REAL NOT NULL,
  reason TEXT, idle_us REAL NOT NULL, PRIMARY KEY (space, key)) WITHOUT ROWID`;
const EMPTY: KeyRow = [];
/** How many rows a step of a sweep looks at. */
const ROWS_PER_STEP = 5_000;
/** Before the cells of each limit: origin, since, idle. */
const HEAD = 3;
/** Texts are lists of limits. Where limits are chosen per call, there may be any number. */
const MOST_TEXTS = 4_096;

/** What a sweep has found so far. */
export interface SweepStep {
  readonly isDone: boolean;
  /** Where the next step begins. */
  readonly from: readonly [space: number, key: string];
  /** How many rows and blocks are left. */
  readonly count: number;
  /** When the first of them will be idle. */
  readonly idleUs: number;
}

/** Numbers of spaces begin with 1. */
export const START_OF_SWEEP: SweepStep = { isDone: false, from: [0, ""], count: 0, idleUs: Number.POSITIVE_INFINITY };

/**
 * The rows of all keys in the object's database. The calls of one request read and change them in memory. `flush`
 * writes each row that has changed once, so a flood on one key is one write.
 */
export class KeyRows {
  readonly #storage: LimitsObjectStorage;
  readonly #loaded = new Map<string, LoadedRow>();
  readonly #ids = new Map<string, number>();
  readonly #layouts = new Map<number, Layout>();
  #isReady = false;
  #failure: { readonly error: unknown } | undefined;
  /** When the first row that was written since `flush` began will be idle, by the object's clock. */
  earliestIdleUs: number = Number.POSITIVE_INFINITY;

  constructor(storage: LimitsObjectStorage) {
    this.#storage = storage;
  }

  /** A statement that fails also fails the next `flush`, so that nothing of its request is written. */
  query(text: string, ...bindings: (string | number | null | ArrayBuffer)[]): Record<string, unknown>[] {
    try {
      return this.#storage.sql.exec(text, ...bindings).toArray();
    } catch (error) {
      this.#failure = { error };
      throw error;
    }
  }

  /** The only row of a result, which is there. */
  one(text: string, ...bindings: (string | number)[]): Record<string, unknown> {
    return this.query(text, ...bindings)[0]!;
  }

  /** Makes the tables of a new object. Returns whether the object may have been evicted since the last call. */
  begin(): boolean {
    this.earliestIdleUs = Number.POSITIVE_INFINITY;
    const isNew = !this.#isReady;
    if (isNew) this.query(SCHEMA);
    this.#isReady = true;
    return isNew;
  }

  /** The transaction was rolled back, or the database deleted. */
  forget(): void {
    this.#isReady = false;
    this.#failure = undefined;
    for (const cache of [this.#loaded, this.#ids, this.#layouts]) cache.clear();
  }

  /** A number for a text, the same until `prune`. */
  idOf(text: string): number {
    const known = this.#ids.get(text);
    if (known !== undefined) return known;
    this.query("INSERT OR IGNORE INTO tollgate_texts (text) VALUES (?)", text);
    const { id } = this.one("SELECT id FROM tollgate_texts WHERE text = ?", text);
    if (this.#ids.size >= MOST_TEXTS) this.#ids.clear();
    this.#ids.set(text, id as number);
    return id as number;
  }

  /** A row that is idle from a moment on, by the object's clock, was written. */
  noteIdle(us: number): void {
    this.earliestIdleUs = Math.min(this.earliestIdleUs, us);
  }

  read(space: number, key: string): KeyRow {
    return this.#load(space, key).after;
  }

  /** `skewUs` is how far the object's clock is ahead of the limiter's. */
  write(space: number, key: string, row: KeyRow, skewUs: number): void {
    const loaded = this.#load(space, key);
    loaded.after = row;
    loaded.skewUs = skewUs;
  }

  /** Writes what has changed. */
  flush(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
    for (const { space, key, before, after, skewUs } of this.#loaded.values()) {
      if (after === before) continue;
      if (after.length > 0) this.#save(space, key, after, skewUs);
      else if (before.length > 0) this.query("DELETE FROM tollgate_rows WHERE space = ? AND key = ?", space, key);
    }
    this.#loaded.clear();
  }

  /** Changes all rows of a space. Those that are left empty are deleted. */
  changeAll(space: number, change: (row: KeyRow) => KeyRow): void {
    this.flush();
    for (const { key } of this.query("SELECT key FROM tollgate_rows WHERE space = ?", space)) {
      const loaded = this.#load(space, key as string);
      loaded.after = change(loaded.before);
    }
    this.flush();
  }

  /** Deletes what is idle at a moment of the object's clock, among some thousand rows. */
  sweepStep({ from, count, idleUs }: SweepStep, nowUs: number): SweepStep {
    const [space, key] = from;
    const [end] = this.query(
      "SELECT space, key FROM tollgate_rows WHERE (space, key) > (?, ?) ORDER BY space, key LIMIT 1 OFFSET ?",
      ...[space, key, ROWS_PER_STEP - 1],
    );
    const range = end === undefined ? "" : " AND (space, key) <= (?, ?)";
    const bounds = [space, key, ...(end === undefined ? [] : [end["space"] as number, end["key"] as string])];
    const rows = `FROM tollgate_rows WHERE (space, key) > (?, ?)${range}`;
    this.query(`DELETE ${rows} AND idle_us + skew_us <= ?`, ...bounds, nowUs);
    const left = this.query(`SELECT count(*) AS count, min(idle_us + skew_us) AS idle ${rows}`, ...bounds);
    if (end === undefined) {
      this.query("DELETE FROM tollgate_blocks WHERE idle_us <= ?", nowUs);
      left.push(...this.query("SELECT count(*) AS count, min(idle_us) AS idle FROM tollgate_blocks"));
      this.#prune();
    }
    return {
      isDone: end === undefined,
      from: end === undefined ? from : [end["space"] as number, end["key"] as string],
      count: left.reduce((sum, each) => sum + (each["count"] as number), count),
      idleUs: Math.min(idleUs, ...left.map((each) => (each["idle"] as number | null) ?? Number.POSITIVE_INFINITY)),
    };
  }

  /** Whether the database has no rows and no tables of others. */
  get areAll(): boolean {
    const { others } = this.one(`SELECT
      (SELECT count(*) FROM tollgate_rows) + (SELECT count(*) FROM tollgate_blocks) + (SELECT count(*) FROM sqlite_master
      WHERE type = 'table' AND substr(name, 1, 9) <> 'tollgate_' AND substr(name, 1, 4) <> '_cf_'
      AND substr(name, 1, 7) <> 'sqlite_') AS others`);
    return others === 0;
  }

  /** Deletes texts that no row has any more. */
  #prune(): void {
    const { texts } = this.one("SELECT count(*) AS texts FROM tollgate_texts");
    if ((texts as number) < MOST_TEXTS) return;
    const used = ["space FROM tollgate_rows", "layout FROM tollgate_rows", "space FROM tollgate_blocks"];
    this.query(`DELETE FROM tollgate_texts WHERE id NOT IN (${used.map((each) => `SELECT ${each}`).join(" UNION ")})`);
    this.forget();
  }

  #load(space: number, key: string): LoadedRow {
    const name = `${space} ${key}`;
    const known = this.#loaded.get(name);
    if (known !== undefined) return known;
    const statement = "SELECT layout, cells, skew_us FROM tollgate_rows WHERE space = ? AND key = ?";
    const [found] = this.query(statement, space, key);
    const before = found === undefined ? EMPTY : this.#decode(found["layout"] as number, found["cells"] as ArrayBuffer);
    const loaded = { space, key, before, after: before, skewUs: (found?.["skew_us"] as number | undefined) ?? 0 };
    this.#loaded.set(name, loaded);
    return loaded;
  }

  #save(space: number, key: string, row: KeyRow, skewUs: number): void {
    const layout = this.idOf(JSON.stringify(row.map(({ limit }) => encodeLimit(limit))));
    const cells = new Float64Array(row.reduce((sum, counts) => sum + HEAD + counts.cells.length, 0));
    let at = 0;
    for (const { originUs, since, idleUs, cells: own } of row) {
      cells.set([originUs, since, idleUs], at);
      cells.set(own, at + HEAD);
      at += HEAD + own.length;
    }
    const idleUs = Math.max(...row.map((counts) => counts.idleUs));
    this.query(
      "INSERT OR REPLACE INTO tollgate_rows (space, key, layout, cells, idle_us, skew_us) VALUES (?, ?, ?, ?, ?, ?)",
      ...[space, key, layout, cells.buffer, idleUs, skewUs],
    );
    this.noteIdle(idleUs + skewUs);
  }

  #decode(id: number, buffer: ArrayBuffer): KeyRow {
    const numbers = new Float64Array(buffer);
    const { limits, sizes } = this.#layoutOf(id);
    let at = 0;
    return limits.map((limit, i) => {
      const [originUs, since, idleUs] = numbers.subarray(at, at + HEAD) as unknown as [number, number, number];
      const cells = numbers.slice(at + HEAD, at + HEAD + sizes[i]!);
      at += HEAD + sizes[i]!;
      return { limit, originUs, since, idleUs, cells };
    });
  }

  #layoutOf(id: number): Layout {
    const known = this.#layouts.get(id);
    if (known !== undefined) return known;
    const { text } = this.one("SELECT text FROM tollgate_texts WHERE id = ?", id);
    const limits = (JSON.parse(text as string) as LimitWords[]).map(decodeLimit);
    const layout = { limits, sizes: limits.map((limit) => compileLimit(limit, 0).size) };
    if (this.#layouts.size >= MOST_TEXTS) this.#layouts.clear();
    this.#layouts.set(id, layout);
    return layout;
  }
}
