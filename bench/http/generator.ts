import { run } from "../harness/child-process.ts";

export type Load = { readonly url: string; readonly connections: number; readonly seconds: number };

export type Throughput = { readonly requests: number; readonly seconds: number };

/** Makes load from a process of its own. @throws Error when wrk failed, or counted an error. */
export async function generate({ url, connections, seconds }: Load): Promise<Throughput> {
  return readWrk((await run("wrk", ["-t1", `-c${connections}`, `-d${seconds}s`, url])).stdout);
}

/** As in `wrk 4.1.0-3, one thread`. wrk exits with status 1 after printing it. @throws Error without wrk. */
export async function generatorName(): Promise<string> {
  const printed = await run("wrk", ["-v"]).catch((error: unknown) => {
    const failed = error as { readonly code?: unknown; readonly stdout?: string };
    if (failed.code !== "ENOENT") return failed;
    throw new Error("The bench needs wrk. Install it first: apt-get install wrk", { cause: error });
  });
  return `wrk ${/^wrk (?:\w+\/)?(\S+)/.exec(printed.stdout ?? "")?.[1] ?? "of unknown version"}, one thread`;
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
