import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Generator, Throughput } from "./generator.ts";

const run = promisify(execFile);

/** `undefined` where it is not installed. */
export async function findWrk(): Promise<Generator | undefined> {
  const version = await versionOfWrk();
  if (version === undefined) return undefined;
  return {
    name: `wrk ${version}, one thread`,
    generate: async ({ url, connections, seconds }) => {
      const { stdout } = await run("wrk", ["-t1", `-c${connections}`, `-d${seconds}s`, url]);
      return readWrk(stdout);
    },
  };
}

/** It ends with status 1 when it is asked for its version. */
async function versionOfWrk(): Promise<string | undefined> {
  try {
    return readVersion((await run("wrk", ["-v"])).stdout);
  } catch (error) {
    const { code, stdout } = error as { readonly code?: unknown; readonly stdout?: string };
    return code === "ENOENT" ? undefined : readVersion(stdout ?? "");
  }
}

/** From `wrk debian/4.1.0-3 [epoll] …` or `wrk 4.2.0 [kqueue] …`. */
export function readVersion(printed: string): string {
  return /^wrk (?:\w+\/)?(\S+)/.exec(printed)?.[1] ?? "of unknown version";
}

/** @throws Error when it counted errors, or printed something else. */
export function readWrk(printed: string): Throughput {
  const trouble = /^.*(?:Socket errors|Non-2xx).*$/m.exec(printed);
  if (trouble !== null) throw new Error(`wrk: ${trouble[0].trim()}`);
  const counted = /(\d+) requests in ([\d.]+)(ms|s|m),/.exec(printed);
  if (counted === null) throw new Error("wrk: expected a line with the requests that it made");
  return { requests: Number(counted[1]), seconds: Number(counted[2]) * SECONDS[counted[3] as keyof typeof SECONDS] };
}

const SECONDS = { ms: 0.001, s: 1, m: 60 } as const;
