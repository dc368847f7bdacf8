import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { freePort } from "./free-port.ts";
import { HOST } from "./host.ts";

const PROGRAM = "redis-server";
const TRIES = 5;

/** A redis-server of the bench's own, which keeps nothing on disk. */
export class RedisServer {
  readonly port: number;
  /** As in `Redis 7.0.15`. */
  readonly version: string;
  readonly #child: ChildProcess;
  readonly #folder: string;

  private constructor(port: number, version: string, child: ChildProcess, folder: string) {
    this.port = port;
    this.version = version;
    this.#child = child;
    this.#folder = folder;
  }

  /** @throws Error that says what to install where the program is missing, or what it said when it ended. */
  static async start(program: string = PROGRAM): Promise<RedisServer> {
    const version = await versionOf(program);
    const folder = await mkdtemp(join(tmpdir(), "tollgate-bench-redis-"));
    for (let tries = 1; ; tries += 1) {
      const port = await freePort();
      try {
        return new RedisServer(port, version, await launch(program, port, folder), folder);
      } catch (error) {
        if (tries < TRIES && String(error).includes("Address already in use")) continue;
        await rm(folder, { recursive: true, force: true });
        throw error;
      }
    }
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      const ended = once(this.#child, "exit");
      this.#child.kill("SIGKILL");
      await ended;
    }
    await rm(this.#folder, { recursive: true, force: true });
  }
}

async function versionOf(program: string): Promise<string> {
  try {
    return readVersion((await promisify(execFile)(program, ["--version"])).stdout);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    const advice = "Install it first: apt-get install redis-server, or Redis from 6.2 or Valkey from 7 in another way";
    throw new Error(`The bench needs ${program}. ${advice}.`, { cause: error });
  }
}

/** From `Redis server v=7.0.15 sha=…` or `Valkey server v=8.0.1 sha=…`. */
export function readVersion(printed: string): string {
  const [, name = "Redis", version = "of unknown version"] = /^(\w+) server v=(\S+)/.exec(printed) ?? [];
  return `${name} ${version}`;
}

/** Resolves as soon as it takes connections. */
async function launch(program: string, port: number, folder: string): Promise<ChildProcess> {
  const place = ["--port", String(port), "--bind", HOST, "--dir", folder];
  const child = spawn(program, [...place, "--save", "", "--appendonly", "no"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  // However the bench ends, short of being killed.
  const endWithBench = () => {
    child.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  };
  process.once("exit", endWithBench);
  child.once("exit", () => process.off("exit", endWithBench));
  let printed = "";
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", () => reject(new Error(`${program} ended: ${printed.trim()}`)));
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      printed = (printed + text).slice(-4_000);
      if (printed.includes("Ready to accept connections")) resolve(child);
    });
  });
}
