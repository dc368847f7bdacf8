import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "../harness/child-process.ts";
import { readWrk, type Throughput } from "../http/generator.ts";

export interface Load {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** A program in Lua that makes the requests (wrk's `SCRIPTING`). Without it they are GETs without a body. */
  readonly script?: string;
}

export type LatentThroughput = Throughput & { readonly p50Ms: number; readonly p99Ms: number };

/** Makes load from a process of its own. @throws Error when wrk failed, or counted an error. */
export async function generate(
  { url, headers = {}, script }: Load,
  { connections, seconds }: { readonly connections: number; readonly seconds: number },
): Promise<LatentThroughput> {
  const folder = await mkdtemp(join(tmpdir(), "tollgate-load-"));
  try {
    const file = join(folder, "requests.lua");
    await writeFile(file, script ?? "");
    const lines = Object.entries(headers).flatMap(([name, value]) => ["-H", `${name}: ${value}`]);
    const { stdout } = await run("wrk", [
      "-t1",
      `-c${connections}`,
      `-d${seconds}s`,
      "--latency",
      "--timeout=20s",
      ...lines,
      ...(script === undefined ? [] : ["-s", file]),
      url,
    ]);
    return { ...readWrk(stdout), p50Ms: latencyMs(stdout, 50), p99Ms: latencyMs(stdout, 99) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const MS = { us: 0.001, ms: 1, s: 1_000, m: 60_000 } as const;

/** @throws Error when wrk printed no such percentile. */
export function latencyMs(printed: string, percent: number): number {
  const found = new RegExp(`^ +${percent}% +([\\d.]+)(us|ms|s|m) *$`, "m").exec(printed);
  if (found === null) {
    const got = printed.split("\n").filter((line) => line.includes("%"));
    throw new Error(`wrk: expected a line with the latency at ${percent}%, got ${JSON.stringify(got)}`);
  }
  return Number(found[1]) * MS[found[2] as keyof typeof MS];
}
