/** A row as the table store of docs/writing-a-store.md writes it. */
interface Row {
  readonly space: string;
  readonly key: string;
  readonly version: number;
  readonly cells: Float64Array | undefined;
  readonly idleAtUs: number;
}

type Place = Pick<Row, "space" | "key">;

/** A database's table of rows with versions. Each statement takes a turn of the event loop. */
export class MemoryTable {
  readonly #rows = new Map<string, Row>();
  #lastVersion = 0;

  async load(keys: readonly Place[]): Promise<Row[]> {
    await turn();
    return keys.map((place) => this.#read(place));
  }

  async swap(rows: readonly Row[]): Promise<boolean> {
    await turn();
    if (rows.some((row) => this.#read(row).version !== row.version)) return false;
    for (const row of rows) {
      this.#lastVersion += 1;
      this.#rows.set(idOf(row), { ...row, version: this.#lastVersion });
    }
    return true;
  }

  async count(space: string): Promise<number> {
    return [...this.#rows.values()].filter((row) => row.space === space).length;
  }

  async delete(space: string, key?: string, idleByUs = Number.POSITIVE_INFINITY): Promise<number> {
    const before = this.#rows.size;
    for (const [id, row] of this.#rows) {
      const isMeant = row.space === space && (key === undefined || row.key === key);
      if (isMeant && row.idleAtUs <= idleByUs) this.#rows.delete(id);
    }
    return before - this.#rows.size;
  }

  async close(): Promise<void> {}

  /** A row that is not there has version 0. What is read is a copy, as from any database. */
  #read({ space, key }: Place): Row {
    const row = this.#rows.get(idOf({ space, key }));
    return row === undefined
      ? { space, key, version: 0, cells: undefined, idleAtUs: 0 }
      : { ...row, cells: row.cells?.slice() };
  }
}

function idOf({ space, key }: Place): string {
  return JSON.stringify([space, key]);
}

function turn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
