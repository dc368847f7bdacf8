import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { LimitsFile } from "tollgate/config";
import { CHILD } from "../harness/child-process.ts";
import { type ServerProcess, startServer, withServer } from "../harness/server-process.ts";
import { limitsFileOf } from "../process/limits-file.ts";

export const SERVICE: string = fileURLToPath(new URL("../../../packages/server/bin/tollgate.js", import.meta.url));

/** A file whose only rule counts each client, and admits everything. */
const ONE_RULE: LimitsFile = {
  version: 1,
  domains: { api: { limits: { client: { by: "ip", rate: "9000000/1s" } } } },
};

/** Calls with the path of a file of so many rules, which is removed afterwards. */
export async function withLimits<T>(rules: number, use: (file: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "tollgate-limits-"));
  try {
    const file = join(folder, "limits.json");
    await writeFile(file, JSON.stringify(rules === 1 ? ONE_RULE : limitsFileOf(rules)));
    return await use(file);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Calls with the service over so many rules. */
export function withService<T>(rules: number, use: (server: ServerProcess) => Promise<T>): Promise<T> {
  return withLimits(rules, (file) => withServer(startServer([SERVICE, "serve", "--port", "0", "--limits", file]), use));
}

/** Calls with a server that answers as the service does, and decides nothing. */
export function withBareServer<T>(what: "check" | "decide", use: (server: ServerProcess) => Promise<T>) {
  return withServer(startServer([CHILD, `bare ${what}`, "{}"]), use);
}
