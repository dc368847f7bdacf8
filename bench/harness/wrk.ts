import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "./child-process.ts";

/** They are always busy. */
const CONNECTIONS = 64;

export interface Requests {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** A program in Lua that makes the requests (wrk's `SCRIPTING`). Without it they are GETs without a body. */
  readonly script?: string;
}

export interface Throughput {
  readonly requests: number;
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** As in `wrk 4.1.0, one thread, 64 connections`. @throws Error without wrk. */
export async function loadText(): Promise<string> {
  const printed = await run("wrk", ["-v"]).catch((error: unknown) => {
    // wrk exits with status 1 after it has printed its version.
    const failed = error as { readonly code?: unknown; readonly stdout?: string };
    if (failed.code !== "ENOENT") return failed;
    throw new Error("The bench needs wrk. Install it first: apt-get install wrk", { cause: error });
  });
  const version = /^wrk (?:\w+\/)?(\S+)/.exec(printed.stdout ?? "")?.[1] ?? "of unknown version";
  return `wrk ${version}, one thread, ${CONNECTIONS} connections`;
}

/** Makes load from a process of its own. @throws Error when wrk failed, or counted an error. */
export async function generate({ url, headers = {}, script }: Requests, seconds: number): Promise<Throughput> {
  const folder = await mkdtemp(join(tmpdir(), "tollgate-load-"));
  try {
    const file = join(folder, "requests.lua");
    await writeFile(file, script ?? "");
    const flags = ["-t1", `-c${CONNECTIONS}`, `-d${seconds}s`, "--latency", "--timeout=20s"];
    const lines = Object.entries(headers).flatMap(([name, value]) => ["-H", `${name}: ${value}`]);
    const program = script === undefined ? [] : ["-s", file];
    return readWrk((await run("wrk", [...flags, ...lines, ...program, url])).stdout);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const SECONDS = { us: 0.000_001, ms: 0.001, s: 1, m: 60 } as const;

/** @throws Error when wrk counted errors, or printed something else. */
function readWrk(printed: string): Throughput {
  const errors = /^.*(?:Socket errors|Non-2xx).*$/m.exec(printed);
  if (errors !== null) throw new Error(`wrk: ${errors[0].trim()}`);
  const find = (pattern: RegExp): RegExpExecArray => {
    const found = pattern.exec(printed);
    if (found === null) throw new Error(`wrk: expected ${pattern} in what it printed`);
    return found;
  };
  const secondsOf = (number = "", unit = "") => Number(number) * SECONDS[unit as keyof typeof SECONDS];
  const latencyMs = (percent: number) => {
    const [, number, unit] = find(new RegExp(`^ +${percent}% +([\\d.]+)(us|ms|s|m) *$`, "m"));
    return 1_000 * secondsOf(number, unit);
  };
  const [, requests, number, unit] = find(/(\d+) requests in ([\d.]+)(ms|s|m),/);
  return { requests: Number(requests), seconds: secondsOf(number, unit), p50Ms: latencyMs(50), p99Ms: latencyMs(99) };
}
