// What is used of the platform. The types of @cloudflare/workers-types fit these.

/** What is used of `ctx` in an object. */
export interface LimitsObjectState {
  readonly storage: LimitsObjectStorage;
  blockConcurrencyWhile<T>(work: () => Promise<T>): Promise<T>;
}

/** What is used of `ctx.storage` of an object with SQLite. */
export interface LimitsObjectStorage {
  readonly sql: LimitsObjectSql;
  transactionSync<T>(work: () => T): T;
  getAlarm(): Promise<number | null>;
  setAlarm(ms: number): Promise<void>;
  list(options: { readonly limit: number }): Promise<{ readonly size: number }>;
  deleteAll(): Promise<void>;
}

/** What is used of `ctx.storage.sql`. */
export interface LimitsObjectSql {
  exec(query: string, ...bindings: (string | number | null | ArrayBuffer)[]): LimitsObjectCursor;
}

/** The result of a statement. */
export interface LimitsObjectCursor {
  readonly rowsWritten: number;
  toArray(): Record<string, unknown>[];
}

/** What is used of a binding such as `env.LIMITS`. */
export interface LimitsObjectNamespace {
  idFromName(name: string): object;
  get(id: object): object;
}
