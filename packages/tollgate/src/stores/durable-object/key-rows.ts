import { compileLimit } from "../../algorithms/compile-limit.ts";
import type { KeyBlock } from "../../core/blocks.ts";
import type { Limit } from "../../core/limits/limit.ts";
import { Remembered } from "../../core/remembered.ts";
import { decodeLimit, encodeLimit } from "../owned/codec.ts";
import type { LimitWords } from "../owned/messages.ts";
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

/** All that an object keeps of a key. */
export interface KeyRow {
  /** Each limit once. */
  readonly counts: readonly LimitCounts[];
  readonly block: KeyBlock | undefined;
}

/** The limits of a row, and how many cells each has. */
interface Layout {
  readonly limits: readonly Limit[];
  readonly sizes: readonly number[];
}

interface LoadedRow {
  readonly space: string;
  readonly key: string;
  readonly before: KeyRow;
  after: KeyRow;
  skewUs: number;
}

const SCHEMA = `
CREATE TABLE IF NOT EXISTS tollgate_rows (
  space TEXT NOT NULL, key TEXT NOT NULL, limits TEXT NOT NULL, cells BLOB NOT NULL, block TEXT,
  idle_us REAL NOT NULL, skew_us REAL NOT NULL, PRIMARY KEY (space, key)) WITHOUT ROWID`;
const EMPTY: KeyRow = { counts: [], block: undefined };
/** How many rows a step of a sweep looks at. */
const ROWS_PER_STEP = 5_000;
/** Before the cells of each limit: origin, since, idle. */
const HEAD = 3;
/** The most lists of limits whose layout is cached. Where limits are chosen per call, there may be any number. */
const MOST_LAYOUTS = 1_024;

/** What a sweep has found so far. */
export interface SweepStep {
  readonly isDone: boolean;
  /** Where the next step begins. */
  readonly from: readonly [space: string, key: string];
  /** How many rows are left. */
  readonly count: number;
  /** When the first of them will be idle. */
  readonly idleUs: number;
}

export const START_OF_SWEEP: SweepStep = { isDone: false, from: ["", ""], count: 0, idleUs: Number.POSITIVE_INFINITY };

/**
 * The rows of all keys in the object's database. The calls of one request read and change them in memory. `flush`
 * writes each row that has changed once, so a flood on one key is one write.
 */
export class KeyRows {
  readonly #storage: LimitsObjectStorage;
  readonly #loaded = new Map<string, LoadedRow>();
  readonly #layouts = new Remembered<string, Layout>(MOST_LAYOUTS);
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

  /** Makes the table of a new object. */
  begin(): void {
    this.earliestIdleUs = Number.POSITIVE_INFINITY;
    if (!this.#isReady) this.query(SCHEMA);
    this.#isReady = true;
  }

  /** The transaction was rolled back, or the database deleted. */
  forget(): void {
    this.#isReady = false;
    this.#failure = undefined;
    this.#loaded.clear();
  }

  read(space: string, key: string): KeyRow {
    return this.#load(space, key).after;
  }

  /** `skewUs` is how far the object's clock is ahead of the limiter's. */
  write(space: string, key: string, row: KeyRow, skewUs: number): void {
    const loaded = this.#load(space, key);
    loaded.after = row;
    loaded.skewUs = skewUs;
  }

  /** Writes what has changed. */
  flush(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
    for (const { space, key, before, after, skewUs } of this.#loaded.values()) {
      if (after === before) continue;
      if (after.counts.length > 0 || after.block !== undefined) this.#save(space, key, after, skewUs);
      else this.query("DELETE FROM tollgate_rows WHERE space = ? AND key = ?", space, key);
    }
    this.#loaded.clear();
  }

  /** Changes all rows of a space. Those that are left empty are deleted. */
  changeAll(space: string, change: (row: KeyRow) => KeyRow): void {
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
    const last = end === undefined ? [] : [end["space"] as string, end["key"] as string];
    const rows = `FROM tollgate_rows WHERE (space, key) > (?, ?)${range}`;
    this.query(`DELETE ${rows} AND idle_us + skew_us <= ?`, space, key, ...last, nowUs);
    const left = this.one(`SELECT count(*) AS count, min(idle_us + skew_us) AS idle ${rows}`, space, key, ...last);
    return {
      isDone: end === undefined,
      from: end === undefined ? from : (last as [string, string]),
      count: count + (left["count"] as number),
      idleUs: Math.min(idleUs, (left["idle"] as number | null) ?? Number.POSITIVE_INFINITY),
    };
  }

  /** Whether the database has no rows and no tables of others. */
  get areAll(): boolean {
    const { others } = this.one(`SELECT
      (SELECT count(*) FROM tollgate_rows) + (SELECT count(*) FROM sqlite_master WHERE type = 'table'
      AND substr(name, 1, 9) <> 'tollgate_' AND substr(name, 1, 4) <> '_cf_'
      AND substr(name, 1, 7) <> 'sqlite_') AS others`);
    return others === 0;
  }

  #load(space: string, key: string): LoadedRow {
    const name = `${space} ${key}`;
    const known = this.#loaded.get(name);
    if (known !== undefined) return known;
    const statement = "SELECT limits, cells, block, skew_us FROM tollgate_rows WHERE space = ? AND key = ?";
    const [found] = this.query(statement, space, key);
    const before = found === undefined ? EMPTY : this.#decode(found);
    const loaded = { space, key, before, after: before, skewUs: (found?.["skew_us"] as number | undefined) ?? 0 };
    this.#loaded.set(name, loaded);
    return loaded;
  }

  #save(space: string, key: string, { counts, block }: KeyRow, skewUs: number): void {
    const limits = JSON.stringify(counts.map(({ limit }) => encodeLimit(limit)));
    const cells = new Float64Array(counts.reduce((sum, each) => sum + HEAD + each.cells.length, 0));
    let at = 0;
    for (const { originUs, since, idleUs, cells: own } of counts) {
      cells.set([originUs, since, idleUs], at);
      cells.set(own, at + HEAD);
      at += HEAD + own.length;
    }
    const idleUs = Math.max(...counts.map((each) => each.idleUs), block?.untilUs ?? 0, block?.forgetAtUs ?? 0);
    this.query(
      "INSERT OR REPLACE INTO tollgate_rows VALUES (?, ?, ?, ?, ?, ?, ?)",
      ...[space, key, limits, cells.buffer, block === undefined ? null : JSON.stringify(block), idleUs, skewUs],
    );
    this.earliestIdleUs = Math.min(this.earliestIdleUs, idleUs + skewUs);
  }

  #decode({ limits: text, cells: buffer, block }: Record<string, unknown>): KeyRow {
    const numbers = new Float64Array(buffer as ArrayBuffer);
    const { limits, sizes } = this.#layouts.get(text as string, layoutOf);
    let at = 0;
    const counts = limits.map((limit, i) => {
      const [originUs, since, idleUs] = numbers.subarray(at, at + HEAD) as unknown as [number, number, number];
      const cells = numbers.slice(at + HEAD, at + HEAD + sizes[i]!);
      at += HEAD + sizes[i]!;
      return { limit, originUs, since, idleUs, cells };
    });
    return { counts, block: block === null ? undefined : (JSON.parse(block as string) as KeyBlock) };
  }
}

function layoutOf(text: string): Layout {
  const limits = (JSON.parse(text) as LimitWords[]).map(decodeLimit);
  return { limits, sizes: limits.map((limit) => compileLimit(limit, 0).size) };
}
