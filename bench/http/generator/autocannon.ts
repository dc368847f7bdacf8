import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Generator, Throughput } from "./generator.ts";

const run = promisify(execFile);

/** For where there is no wrk: it takes more of a processor than the servers do, so that it hides what they take. */
export async function findAutocannon(): Promise<Generator> {
  const program = fileURLToPath(import.meta.resolve("autocannon"));
  const manifest = await readFile(new URL("package.json", import.meta.resolve("autocannon")), "utf8");
  const { version } = JSON.parse(manifest) as { readonly version: string };
  return {
    name: `autocannon ${version}`,
    generate: async ({ url, connections, seconds }) => {
      const args = [program, "--json", "--no-progress", "-c", String(connections), "-d", String(seconds), url];
      return readAutocannon((await run(process.execPath, args)).stdout);
    },
  };
}

interface Printed {
  readonly requests: { readonly total: number };
  readonly duration: number;
  readonly errors: number;
  readonly timeouts: number;
  readonly non2xx: number;
}

/** @throws Error when it counted errors. */
export function readAutocannon(printed: string): Throughput {
  const { requests, duration, errors, timeouts, non2xx } = JSON.parse(printed) as Printed;
  if (errors + timeouts + non2xx > 0) {
    throw new Error(`autocannon: errors ${errors}, timeouts ${timeouts}, answers of other statuses ${non2xx}`);
  }
  return { requests: requests.total, seconds: duration };
}
