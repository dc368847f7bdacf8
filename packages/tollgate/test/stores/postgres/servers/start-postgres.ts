import { execFile } from "node:child_process";
import { chown, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import { postgresMigration } from "tollgate/postgres";
import { eventuallyTrue } from "../../redis/servers/eventually.ts";
import { GuardedProcess } from "../../redis/servers/guarded-process.ts";
import { type ReservedPort, reservePort } from "../../redis/servers/reserved-port.ts";

const run = promisify(execFile);
/** The server refuses to run as root. */
export const NOBODY = 65_534;

/** A command, as another user if this one is root. */
function asUser(command: readonly string[]): readonly string[] {
  if (process.getuid?.() !== 0) return command;
  return ["setpriv", `--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups", ...command];
}

/** Where Debian puts the programs of the newest version. */
async function binaries(): Promise<string> {
  const { stdout } = await run("sh", ["-c", "ls -d /usr/lib/postgresql/*/bin | sort -V | tail -1"]);
  return stdout.trim();
}

/** A PostgreSQL server on a port of its own, with tollgate's tables. */
export class PostgresServer {
  readonly #reserved: ReservedPort;
  readonly #folder: string;
  readonly #command: readonly string[];
  #process: GuardedProcess;

  private constructor(reserved: ReservedPort, folder: string, command: readonly string[], process: GuardedProcess) {
    this.#reserved = reserved;
    this.#folder = folder;
    this.#command = command;
    this.#process = process;
  }

  static async start(): Promise<PostgresServer> {
    const [reserved, bin] = [await reservePort(), await binaries()];
    const folder = await mkdtemp(join(tmpdir(), "tollgate-postgres-"));
    if (process.getuid?.() === 0) await chown(folder, NOBODY, NOBODY);
    const data = join(folder, "data");
    const [program = "", ...args] = asUser([join(bin, "initdb"), "-D", data, "-U", "tollgate", "--auth=trust"]);
    await run(program, [...args, "--no-sync", "--encoding=UTF8", "--locale=C.UTF-8"], { cwd: folder });
    const options = ["-c", "fsync=off", "-c", "max_connections=40", "-c", "listen_addresses=127.0.0.1"];
    const command = asUser([join(bin, "postgres"), "-D", data, "-p", String(reserved.port), "-k", folder, ...options]);
    const server = new PostgresServer(reserved, folder, command, await GuardedProcess.start(command, folder));
    await server.#untilItAnswers();
    await server.query(postgresMigration());
    return server;
  }

  get port(): number {
    return this.#reserved.port;
  }

  get folder(): string {
    return this.#folder;
  }

  /** What a client needs to connect. */
  get address() {
    return { host: "127.0.0.1", port: this.port, user: "tollgate", database: "postgres" } as const;
  }

  /** A pool whose connections may be ended by the server, also while the pool itself ends. */
  pool(max = 4, options = ""): pg.Pool {
    const pool = new pg.Pool({ ...this.address, max, options });
    pool.on("error", () => {});
    pool.on("connect", (client) => client.on("error", () => {}));
    return pool;
  }

  /** Runs statements over a connection of their own. */
  async query(text: string): Promise<readonly Record<string, unknown>[]> {
    const client = new pg.Client(this.address);
    await client.connect();
    try {
      const result = await client.query(text);
      return result.rows as Record<string, unknown>[];
    } finally {
      await client.end();
    }
  }

  /** kill -9 of the whole server, without a checkpoint. */
  async kill(): Promise<void> {
    this.#process.signal("SIGKILL");
    await this.#process.ended;
  }

  async restart(): Promise<void> {
    const before = this.#process;
    // The children of a killed server end on their own, and hold its lock until then.
    await rm(join(this.#folder, "data", "postmaster.pid"), { force: true });
    this.#process = await GuardedProcess.start(this.#command, this.#folder);
    before.leaveFolder();
    await this.#untilItAnswers();
  }

  async stop(): Promise<void> {
    // A fast shutdown leaves no child behind.
    this.#process.signal("SIGINT");
    await this.#process.ended;
    await this.#process.remove();
    this.#reserved.release();
  }

  async #untilItAnswers(): Promise<void> {
    await eventuallyTrue(`postgres on port ${this.port}: ${this.#process.output}`, async () => {
      if (!this.#process.isRunning) throw new Error(`postgres ended: ${this.#process.output}`);
      return this.query("SELECT 1").then(
        () => true,
        () => false,
      );
    });
  }
}
