import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "../harness/child-process.ts";

export const HOST = "127.0.0.1";

/** Starts a server that keeps nothing on disk. @throws Error when the program is missing or ended. */
export async function startRedis(program = "redis-server") {
  const version = await versionOf(program);
  const folder = await mkdtemp(join(tmpdir(), "tollgate-bench-redis-"));
  const port = await freePort();
  const child = await launch(program, port, folder);
  return {
    port,
    version,
    async stop() {
      const ended = once(child, "exit");
      if (child.kill("SIGKILL")) await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function versionOf(program: string): Promise<string> {
  try {
    return readVersion((await run(program, ["--version"])).stdout);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    const advice = "Install it first: apt-get install redis-server, or Redis from 6.2 or Valkey from 7 in another way";
    throw new Error(`The bench needs ${program}. ${advice}.`, { cause: error });
  }
}

/** From `Redis server v=7.0.15 sha=…` or `Valkey server v=8.0.1 sha=…`. */
function readVersion(printed: string): string {
  const [, name = "Redis", version = "of unknown version"] = /^(\w+) server v=(\S+)/.exec(printed) ?? [];
  return `${name} ${version}`;
}

/** A port that was free a moment ago. */
async function freePort(): Promise<number> {
  const server = createServer();
  await once(server.listen(0, HOST), "listening");
  const { port } = server.address() as AddressInfo;
  await once(server.close(), "close");
  return port;
}

async function launch(program: string, port: number, folder: string): Promise<ChildProcess> {
  const place = ["--port", String(port), "--bind", HOST, "--dir", folder];
  const args = [...place, "--save", "", "--appendonly", "no"];
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "inherit"] });
  // The server ends with the bench, also after an error.
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

export type CommandStats = { readonly calls: number; readonly us: number; readonly failures: number };

/** Reads `INFO commandstats`. A script's commands are in the script's time and under their own names. */
export function readCommandStats(info: string): Map<string, CommandStats> {
  const lines = info.matchAll(/^cmdstat_(\S+?):(\S+)\r?$/gm);
  return new Map(Array.from(lines, ([, name = "", fields = ""]) => [name, statsOf(fields)]));
}

function statsOf(fields: string): CommandStats {
  const numbers = new Map(fields.split(",").map((field) => field.split("=") as [string, string]));
  const numberOf = (field: string) => Number(numbers.get(field) ?? 0);
  const failures = numberOf("rejected_calls") + numberOf("failed_calls");
  return { calls: numberOf("calls"), us: numberOf("usec"), failures };
}

/** Reads `INFO cpu`: processor time of the thread that executes commands. */
export function readMainThreadUs(info: string): number {
  const seconds = [...info.matchAll(/^used_cpu_(?:sys|user)_main_thread:([\d.]+)\r?$/gm)];
  if (seconds.length !== 2) throw new Error("expected the time of the main thread, which Redis has from 6.2");
  return seconds.reduce((sum, [, text]) => sum + Number(text), 0) * 1_000_000;
}
