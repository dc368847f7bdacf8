import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "../harness/child-process.ts";
import { freePort, HOST, startProgram } from "../harness/server-program.ts";

const PROGRAM = "redis-server";

/** Starts a server that keeps nothing on disk. It ends with the bench. @throws Error when redis-server is missing. */
export async function startRedis() {
  const { stdout } = await run(PROGRAM, ["--version"]).catch((error: unknown) => {
    throw new Error(`The bench needs ${PROGRAM}. Install it first: apt-get install ${PROGRAM}`, { cause: error });
  });
  const [, name = "Redis", version = "of unknown version"] = /^(\w+) server v=(\S+)/.exec(stdout) ?? [];
  const folder = mkdtempSync(join(tmpdir(), "tollgate-bench-redis-"));
  const port = await freePort();
  const flags = ["--port", String(port), "--bind", HOST, "--dir", folder, "--save", "", "--appendonly", "no"];
  const child = await startProgram([PROGRAM, ...flags], folder);
  const setting = { server: `${name} ${version} on the same machine, over loopback` };
  return { port, setting, close: async () => void child.kill("SIGKILL") };
}

/** How often a command was called, from `INFO commandstats`. */
export function callsOf(info: string, command: string): number {
  return Number(new RegExp(`^cmdstat_${command}:calls=(\\d+)`, "m").exec(info)?.[1] ?? 0);
}

/** How long a call of a command took on average, from `INFO commandstats`. */
export function meanUsOf(info: string, command: string): number {
  return Number(new RegExp(`^cmdstat_${command}:.*usec_per_call=([\\d.]+)`, "m").exec(info)?.[1] ?? Number.NaN);
}

/** Processor time of the thread that executes commands, from `INFO cpu`. */
export function mainThreadUs(info: string): number {
  const seconds = [...info.matchAll(/^used_cpu_(?:sys|user)_main_thread:([\d.]+)\r?$/gm)];
  if (seconds.length !== 2) throw new Error("expected the time of the main thread, which Redis has from 6.2");
  return seconds.reduce((sum, [, text]) => sum + Number(text), 0) * 1_000_000;
}
