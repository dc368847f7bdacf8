import { run } from "../harness/child-process.ts";
import { readWrk, type Throughput } from "../http/generator.ts";

export type CheckLoad = { readonly url: string; readonly connections: number; readonly seconds: number };

export type LatentThroughput = Throughput & { readonly p50Ms: number; readonly p99Ms: number };

/** What a proxy forwards of a usual request. A proxy in front of the service replaces these. */
const FORWARDED: Readonly<Record<string, string>> = {
  "X-Forwarded-Method": "GET",
  "X-Forwarded-Uri": "/orders/17?full=1",
  "X-Forwarded-Host": "shop.example",
  "X-Forwarded-Proto": "https",
  "X-Forwarded-For": "192.0.2.7",
};

/** Makes load as a proxy does, from a process of its own. @throws Error when wrk failed, or counted an error. */
export async function generateChecks({ url, connections, seconds }: CheckLoad): Promise<LatentThroughput> {
  const headers = Object.entries(FORWARDED).flatMap(([name, value]) => ["-H", `${name}: ${value}`]);
  const args = ["-t1", `-c${connections}`, `-d${seconds}s`, "--latency", ...headers, url];
  const { stdout } = await run("wrk", args);
  return { ...readWrk(stdout), p50Ms: latencyMs(stdout, 50), p99Ms: latencyMs(stdout, 99) };
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
