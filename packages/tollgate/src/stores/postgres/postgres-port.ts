import { type ClientFailure, FAULT, failureOfClient } from "../redis/clients/client-failure.ts";
import type { RedisPort, ScriptCall, ScriptReply } from "../redis/clients/redis-port.ts";
import { UnavailableError } from "../remote/unavailable-error.ts";

/** A `Pool` or a connected `Client` of pg, as far as the store uses it. */
export interface PgClient {
  query(query: { readonly name?: string; readonly text: string; readonly values: unknown[] }): Promise<{
    readonly rows: unknown[];
  }>;
}

/** The function that postgres.js makes, as far as the store uses it. */
export interface PostgresJsClient {
  unsafe(text: string, values: never[], options: { readonly prepare: boolean }): PromiseLike<readonly unknown[]>;
}

/** What the store accepts as its client. */
export type PostgresClient = PgClient | PostgresJsClient;

const DECIDE =
  "SELECT tollgate.decide($1::text, $2::text::float8, $3::text::float8, $4::text::int, $5::text::text[], " +
  "$6::text::tollgate.lim[], $7::text::float8[]) AS reply";
const PROBE = "SELECT tollgate.decide('1', NULL, NULL, 0, '{}', '{}', '{0,0}') AS reply";
const KEYS = "SELECT key FROM tollgate.counts WHERE key > $1 AND key < $2 ORDER BY key LIMIT 1000";
const LATE = new UnavailableError("timed out waiting for the key's row", "command");

/** Sends a statement. The values are read when it is sent, which may be later. */
type Send = (name: string, text: string, values: unknown[]) => Promise<readonly unknown[]>;

/** Whether a value has the methods of a client. */
export function isPostgresClient(client: unknown): client is PostgresClient {
  const { unsafe, query } = (client ?? {}) as { readonly unsafe?: unknown; readonly query?: unknown };
  return typeof unsafe === "function" || typeof query === "function";
}

function senderOf(client: PostgresClient, prepare: boolean): Send {
  if ("unsafe" in client) return async (_, text, values) => client.unsafe(text, values as never[], { prepare });
  return async (name, text, values) => (await client.query(prepare ? { name, text, values } : { text, values })).rows;
}

interface PortOptions {
  readonly prepare: boolean;
  /** The time between sweeps; 0: none. */
  readonly sweepMs: number;
  /** A batch that waited for its rows for longer does nothing. */
  readonly timeoutMs: number;
}

/** The port of PostgreSQL: a batch is one statement. */
export class PostgresPort implements RedisPort {
  readonly name = "PostgreSQL";
  readonly store = "postgresStore";
  readonly cluster = false;
  readonly isUnordered = true;
  readonly connected = true;
  readonly failureOf: (error: unknown) => ClientFailure = failureOf;
  readonly #send: Send;
  readonly #patience: string;

  readonly #timer: ReturnType<typeof setInterval> | undefined;

  constructor(client: PostgresClient, { prepare, sweepMs, timeoutMs }: PortOptions) {
    this.#send = senderOf(client, prepare);
    this.#patience = String(timeoutMs);
    if (sweepMs === 0) return;
    // The next sweep makes up for one that failed.
    const sweep = (): void => void this.#send("tollgate-sweep", "SELECT tollgate.sweep()", []).catch(() => {});
    this.#timer = setInterval(sweep, sweepMs);
    // Timers are numbers outside Node, Bun and Deno.
    if (typeof this.#timer === "object") this.#timer.unref();
  }

  async run({ args, cancelFlag }: ScriptCall): Promise<ScriptReply> {
    try {
      // A probe.
      if (args.length === 0) return numbersIn(await this.#send("tollgate-probe", PROBE, []));
      const [given, lock, ...described] = args;
      const values: unknown[] = ["", given === "" ? null : given, this.#patience, lock, ...described];
      for (;;) {
        // A client that has no connection yet sends the statement later: then the flag says whether a caller waits.
        cancelFlag.writeInto(values, 0);
        const rows = await this.#send("tollgate-decide", DECIDE, values);
        // Another batch has made a row that was missing: this one has done nothing.
        if (replyIn(rows) !== "again") return numbersIn(rows);
      }
    } catch (error) {
      cancelFlag.cancel();
      throw error;
    }
  }

  async *scan(prefix: string): AsyncGenerator<readonly string[]> {
    let last = prefix;
    for (;;) {
      // A key follows its head in braces.
      const rows = await this.#send("tollgate-keys", KEYS, [last, `${prefix}|`]);
      const names = rows.map((row) => (row as { readonly key: string }).key);
      if (names.length === 0) return;
      yield names;
      last = names[names.length - 1]!;
    }
  }

  /** Clients send no statement twice. The store removes its listener when it closes, so the sweeps end then. */
  onLost(): () => void {
    return () => clearInterval(this.#timer);
  }
}

function replyIn(rows: readonly unknown[]): string {
  return (rows[0] as { readonly reply: string }).reply;
}

function numbersIn(rows: readonly unknown[]): ScriptReply {
  const reply = replyIn(rows);
  if (reply === "late") throw LATE;
  // JavaScript tells zeros apart by their sign.
  return reply === "" ? [] : reply.split(",").map((number) => Number(number) + 0);
}

/** SQLSTATE codes, or their classes, of failures that pass, and their causes. The longest match wins. */
const CAUSES: readonly (readonly [code: string, kind: "unavailable" | "rejected", cause: string])[] = [
  ["25006", "unavailable", "the server is read-only"],
  ["3F000", "unavailable", "tollgate's schema is missing"],
  ["42501", "unavailable", "the server does not permit the call"],
  ["42704", "unavailable", "tollgate's types are missing"],
  ["42883", "unavailable", "tollgate's functions are missing"],
  ["42P01", "unavailable", "tollgate's table is missing"],
  ["40P01", "rejected", "deadlock"],
  ["55P03", "rejected", "timed out waiting for a lock"],
  ["57014", "rejected", "the server cancelled the statement"],
  ["53100", "rejected", "the server's disk is full"],
  ["53200", "rejected", "the server is out of memory"],
  ["53300", "unavailable", "the server has no connection left"],
  ["08", "unavailable", "connection lost"],
  ["28", "unavailable", "the server refused the login"],
  ["3D", "unavailable", "the database is missing"],
  ["40", "rejected", "the server could not serialize the call"],
  ["53", "rejected", "the server lacks resources"],
  ["57", "unavailable", "the server is shutting down"],
  ["58", "rejected", "the server has a system error"],
  ["XX", "rejected", "the server has an internal error"],
];

const SQLSTATE = /^[0-9A-Z]{5}$/;

/** What passes is unavailable, and an unknown code of the server is permanent. Clients have errors without a code. */
function failureOf(error: unknown): ClientFailure {
  const { code } = Object(error) as { readonly code?: unknown };
  if (typeof code !== "string" || !SQLSTATE.test(code) || code.startsWith("E")) return failureOfClient(error);
  const known = CAUSES.find(([start]) => code.startsWith(start));
  return known === undefined ? FAULT : { kind: known[1], cause: known[2] };
}
