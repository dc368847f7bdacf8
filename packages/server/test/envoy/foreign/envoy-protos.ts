import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

const INSTALLED = fileURLToPath(new URL("../../../../../test/grpc-clients/installed", import.meta.url));
const PROTOS = join(INSTALLED, "node_modules/@grpc/grpc-js-xds/deps");
const SERVICE = join(PROTOS, "envoy-api/envoy/service/ratelimit/v3/rls.proto");

/** The command `buf`. */
export const BUF = join(INSTALLED, "node_modules/.bin/buf");

/** Compiles Envoy's published protos to a file with their descriptors. */
export function compileEnvoyProtos(): string {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-protos-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const modules = ["envoy-api", "googleapis", "protoc-gen-validate", "xds"].map((path) => ({ path }));
  const configuration = JSON.stringify({ version: "v2", modules });
  const image = join(folder, "envoy.binpb");
  execFileSync(BUF, ["build", PROTOS, "--config", configuration, "--path", SERVICE, "-o", image]);
  return image;
}
