import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { run } from "../harness/child-process.ts";

export type Load = { readonly url: string; readonly connections: number; readonly seconds: number };

export type Throughput = { readonly requests: number; readonly seconds: number };

/** A program that makes load, in its own process. */
export interface Generator {
  readonly name: string;
  /** @throws Error when the program failed, or counted an error. */
  generate(load: Load): Promise<Throughput>;
}

/** wrk, or else autocannon. autocannon uses more of a processor than the servers do, which hides their cost. */
export async function findGenerator(): Promise<Generator> {
  const version = await versionOfWrk();
  if (version === undefined) return autocannon();
  return {
    name: `wrk ${version}, one thread`,
    async generate({ url, connections, seconds }) {
      return readWrk((await run("wrk", ["-t1", `-c${connections}`, `-d${seconds}s`, url])).stdout);
    },
  };
}

/** `undefined` where wrk is not installed. wrk exits with status 1 after printing its version. */
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

const SECONDS = { ms: 0.001, s: 1, m: 60 } as const;

/** @throws Error when wrk counted errors, or printed something else. */
export function readWrk(printed: string): Throughput {
  const errors = /^.*(?:Socket errors|Non-2xx).*$/m.exec(printed);
  if (errors !== null) throw new Error(`wrk: ${errors[0].trim()}`);
  const counted = /(\d+) requests in ([\d.]+)(ms|s|m),/.exec(printed);
  if (counted === null) throw new Error("wrk: expected a line with the number of requests");
  return { requests: Number(counted[1]), seconds: Number(counted[2]) * SECONDS[counted[3] as keyof typeof SECONDS] };
}

async function autocannon(): Promise<Generator> {
  const program = import.meta.resolve("autocannon");
  const manifest = await readFile(new URL("package.json", program), "utf8");
  const { version } = JSON.parse(manifest) as { readonly version: string };
  return {
    name: `autocannon ${version}`,
    async generate({ url, connections, seconds }) {
      const flags = ["--json", "--no-progress", "-c", String(connections), "-d", String(seconds), url];
      return readAutocannon((await run(process.execPath, [fileURLToPath(program), ...flags])).stdout);
    },
  };
}

export function readAutocannon(printed: string): Throughput {
  const result = JSON.parse(printed) as Record<"duration" | "errors" | "timeouts" | "non2xx", number> & {
    readonly requests: { readonly total: number };
  };
  const { requests, duration, errors, timeouts, non2xx } = result;
  if (errors + timeouts + non2xx === 0) return { requests: requests.total, seconds: duration };
  throw new Error(`autocannon: errors ${errors}, timeouts ${timeouts}, responses of other statuses ${non2xx}`);
}
