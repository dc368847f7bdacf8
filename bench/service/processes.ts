import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { LimitsFile } from "tollgate/config";
import { CHILD } from "../harness/child-process.ts";
import { type ServerProcess, startServer, withServer } from "../harness/server-process.ts";
import { limitsFileOf } from "../process/limits-file.ts";
import { freePort } from "../redis/server.ts";

export const SERVICE: string = fileURLToPath(new URL("../../../packages/server/bin/tollgate.js", import.meta.url));

/** A file whose only rule counts each client, and admits everything. */
const ONE_RULE: LimitsFile = {
  version: 1,
  domains: { api: { limits: { client: { by: "ip", rate: "9000000/1s" } } } },
};

/** The same as one of Envoy's files. */
const ENVOY_RULE: object = {
  domain: "api",
  descriptors: [{ key: "remote_address", rate_limit: { unit: "second", requests_per_unit: 9_000_000 } }],
};

export type Limits = "one rule" | "Envoy's" | number;

/** The limits: one rule, one of Envoy's, or so many that differ in their paths. */
function fileOf(limits: Limits): object {
  if (typeof limits === "number") return limitsFileOf(limits);
  return limits === "one rule" ? ONE_RULE : ENVOY_RULE;
}

/** Calls with the path of a limits file, which is removed afterwards. */
export async function withLimits<T>(limits: Limits, use: (file: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "tollgate-limits-"));
  try {
    const file = join(folder, "limits.json");
    await writeFile(file, JSON.stringify(fileOf(limits)));
    return await use(file);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Calls with the service over these limits. */
export function withService<T>(limits: Limits, use: (server: ServerProcess) => Promise<T>): Promise<T> {
  return withLimits(limits, (file) =>
    withServer(startServer([SERVICE, "serve", "--port", "0", "--limits", file]), use),
  );
}

/** The same, asked over gRPC. */
export async function withGrpcService<T>(limits: Limits, use: (server: ServerProcess) => Promise<T>): Promise<T> {
  const port = await freePort();
  return withLimits(limits, (file) => {
    const flags = ["--port", "0", "--grpc-port", `${port}`, "--limits", file];
    return withServer(startServer([SERVICE, "serve", ...flags]), (server) => use({ ...server, port }));
  });
}

/** Calls with a server that answers as the service does, and decides nothing. */
export function withBareServer<T>(what: "check" | "decide" | "grpc", use: (server: ServerProcess) => Promise<T>) {
  return withServer(startServer([CHILD, `bare ${what}`, "{}"]), use);
}
