import { execFile, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { memoryStore } from "tollgate";
import { manualClock } from "tollgate/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { startGrpcServer } from "../../../src/envoy/grpc-server.ts";
import { RateLimits } from "../../../src/envoy/rate-limits.ts";
import { limitsFile } from "../../support/limits-file.ts";
import { startTestService } from "../../support/test-service.ts";
import { configurationOf } from "../configurations.ts";
import { BUF, compileEnvoyProtos } from "./envoy-protos.ts";

const run = promisify(execFile);

const CONFIGURATION = configurationOf(`
domain: edge
descriptors:
  - key: remote_address
    metadata: { tier: free }
    rate_limit: { unit: minute, requests_per_unit: 2, name: per-address }
  - key: banned
    rate_limit: { unit: day, requests_per_unit: 0 }
  - key: staff
    rate_limit: { unlimited: true }`);

async function startServer(): Promise<number> {
  const clock = manualClock(45_000);
  const limits = new RateLimits({ store: memoryStore(), clock, configuration: CONFIGURATION });
  const server = await startGrpcServer({ host: "127.0.0.1", port: 0, connections: 100, limits, logError: () => {} });
  onTestFinished(() => server.close(0));
  return server.port;
}

/** What a request of Envoy is, in the JSON of Protocol Buffers. */
function asking(...descriptors: readonly Readonly<Record<string, string>>[]) {
  return {
    domain: "edge",
    descriptors: descriptors.map((entries) => ({
      entries: Object.entries(entries).map(([key, value]) => ({ key, value })),
    })),
  };
}

const CURRENT_LIMIT = { requestsPerUnit: 2, unit: "MINUTE", name: "per-address" };

/** A client in Python. It sends one request at a time, and reads the response as JSON. */
function pythonClient(port: number): (request: object) => Promise<unknown> {
  const script = fileURLToPath(new URL("client.py", import.meta.url));
  const client = spawn("/usr/bin/python3", [script, String(port), compileEnvoyProtos()]);
  onTestFinished(() => void client.kill());
  client.stderr.pipe(process.stderr);
  const lines = createInterface({ input: client.stdout })[Symbol.asyncIterator]();
  return async (request) => {
    client.stdin.write(`${JSON.stringify(request)}\n`);
    return JSON.parse((await lines.next()).value as string) as unknown;
  };
}

const LIMITS = `
version: 1
domains:
  edge:
    limits:
      address: { match: { descriptor: { remote_address: "*" } }, by: ip, quota: 2/1m }
      free: { match: { descriptor: { plan: free } }, by: descriptor.user, within: 50/1h }
`;

/** The service over a limits file. */
async function startLimits(): Promise<number> {
  const { application } = await limitsFile(LIMITS);
  const service = await startTestService({ application, grpcPort: 0, clock: manualClock(45_000) });
  return service.grpcPort ?? 0;
}

describe("Python's gRPC with Envoy's protos, over a limits file", () => {
  it("gets the codes, the limits, and the headers for the client", async () => {
    const ask = pythonClient(await startLimits());
    const address = asking({ remote_address: "192.0.2.1" });
    const status = {
      code: "OK",
      currentLimit: { requestsPerUnit: 2, unit: "MINUTE", name: "address.quota" },
      durationUntilReset: "15s",
    };
    const policy = { key: "RateLimit-Policy", value: '"address.quota";q=2;w=60' };
    expect(await ask(address)).toEqual({
      overallCode: "OK",
      statuses: [{ ...status, limitRemaining: 1 }],
      responseHeadersToAdd: [policy, { key: "RateLimit", value: '"address.quota";r=1;t=15' }],
    });
    const both = asking({ remote_address: "192.0.2.1" }, { plan: "free", user: "ann" });
    expect(await ask(both)).toMatchObject({ overallCode: "OK", statuses: [{}, { limitRemaining: 49 }] });
    expect(await ask(both)).toMatchObject({
      overallCode: "OVER_LIMIT",
      statuses: [
        { ...status, code: "OVER_LIMIT" },
        { code: "OK", limitRemaining: 49 },
      ],
      responseHeadersToAdd: [{}, {}, { key: "Retry-After", value: "15" }],
    });
    expect(await ask({ ...asking({ remote_address: "192.0.2.2" }), hitsAddend: 3 })).toMatchObject({
      overallCode: "OVER_LIMIT",
      statuses: [{ limitRemaining: 2 }],
    });
  });
});

describe("Python's gRPC with Envoy's protos", () => {
  it("gets the codes, the figures and the metadata", async () => {
    const ask = pythonClient(await startServer());
    const status = { code: "OK", currentLimit: CURRENT_LIMIT, durationUntilReset: "15s" };
    const dynamicMetadata = { tier: "free" };
    const address = asking({ remote_address: "192.0.2.1" });
    expect(await ask(address)).toEqual({
      overallCode: "OK",
      statuses: [{ ...status, limitRemaining: 1 }],
      dynamicMetadata,
    });
    expect(await ask(address)).toMatchObject({ overallCode: "OK" });
    expect(await ask(address)).toEqual({
      overallCode: "OVER_LIMIT",
      statuses: [{ ...status, code: "OVER_LIMIT" }],
      dynamicMetadata,
    });
    expect(await ask(asking({ staff: "a" }, { banned: "b" }, { other: "c" }))).toMatchObject({
      overallCode: "OVER_LIMIT",
      statuses: [{ code: "OK", limitRemaining: 4_294_967_295 }, { code: "OVER_LIMIT" }, { code: "OK" }],
    });
    const [descriptor] = asking({ remote_address: "192.0.2.9" }).descriptors;
    const override = { requestsPerUnit: 7, unit: "HOUR" };
    expect(
      await ask({ domain: "edge", hitsAddend: 5, descriptors: [{ ...descriptor, limit: override }] }),
    ).toMatchObject({
      statuses: [{ code: "OK", limitRemaining: 2, currentLimit: override }],
    });
    expect(await ask({ domain: "" })).toEqual({
      status: "INVALID_ARGUMENT",
      details: "domain: expected a text that is not empty",
    });
  });
});

describe("buf", () => {
  it("calls the service with Envoy's protos", async () => {
    const url = `http://127.0.0.1:${await startServer()}/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit`;
    const request = JSON.stringify(asking({ remote_address: "192.0.2.1" }));
    const flags = ["curl", "--schema", compileEnvoyProtos(), "--protocol", "grpc", "--http2-prior-knowledge"];
    const { stdout } = await run(BUF, [...flags, "--data", request, url]);
    expect(JSON.parse(stdout)).toMatchObject({
      overallCode: "OK",
      statuses: [{ code: "OK", currentLimit: CURRENT_LIMIT, limitRemaining: 1, durationUntilReset: "15s" }],
    });
  });

  it("checks the health", async () => {
    const schema = fileURLToPath(new URL("../../../proto/health.proto", import.meta.url));
    const url = `http://127.0.0.1:${await startServer()}/grpc.health.v1.Health`;
    const flags = ["curl", "--schema", schema, "--protocol", "grpc", "--http2-prior-knowledge"];
    const { stdout } = await run(BUF, [...flags, `${url}/Check`]);
    expect(JSON.parse(stdout)).toEqual({ status: "SERVING" });
  });
});
