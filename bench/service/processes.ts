import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { LimitsFile } from "tollgate/config";
import { CHILD } from "../harness/child-process.ts";
import { type ServerProcess, startServer } from "../harness/server-process.ts";
import { freePort } from "../harness/server-program.ts";
import { limitsFileOf } from "../process/limits-file.ts";
import { answerLength } from "./grpc.ts";

export const SERVICE: string = fileURLToPath(new URL("../../../packages/server/bin/tollgate.js", import.meta.url));

/** A file whose only rule counts each client, and admits everything. */
const ONE_RULE: LimitsFile = {
  version: 1,
  domains: { api: { limits: { client: { by: "ip", rate: "9000000/1s" } } } },
};

/** Writes a file of so many rules. */
export async function writeLimits(rules: number) {
  const folder = await mkdtemp(join(tmpdir(), "tollgate-limits-"));
  const file = join(folder, "limits.json");
  await writeFile(file, JSON.stringify(rules === 1 ? ONE_RULE : limitsFileOf(rules)));
  return { file, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** The service over so many rules. */
export async function startService(rules: number): Promise<ServerProcess> {
  const { file, remove } = await writeLimits(rules);
  const server = await startServer([SERVICE, "serve", "--port", "0", "--limits", file]);
  return { ...server, stop: () => server.stop().then(remove) };
}

/** A server that answers as the service does, and decides nothing. */
export function startBareServer(what: "check" | "decide"): Promise<ServerProcess> {
  return startServer([CHILD, `bare ${what}`, "{}"]);
}

/** The service with Envoy's protocol. */
export async function startGrpcService(): Promise<ServerProcess> {
  const { file, remove } = await writeLimits(1);
  const port = await freePort();
  const server = await startServer([SERVICE, "serve", "--port", "0", "--limits", file, "--grpc-port", `${port}`]);
  return { ...server, port, stop: () => server.stop().then(remove) };
}

/** A server of gRPC that answers as many bytes as the service does, and decodes and decides nothing. */
export async function startBareGrpc(): Promise<ServerProcess> {
  const service = await startGrpcService();
  const bytes = await answerLength(service.port);
  await service.stop();
  return startServer([CHILD, "bare grpc", JSON.stringify({ bytes })]);
}
