import { manualClock } from "tollgate/testing";
import { describe, expect, it, vi } from "vitest";
import { OK, OVER_LIMIT } from "../../src/envoy/messages.ts";
import { JSON_BODY } from "../support/json-body.ts";
import { limitsFile } from "../support/limits-file.ts";
import { LOCAL_ADMIN } from "../support/test-admin.ts";
import { startTestService } from "../support/test-service.ts";
import { grpcClient } from "./grpc-client.ts";

const limitsOf = (requests: number): string =>
  `domain: d\ndescriptors: [{key: address, rate_limit: {unit: minute, requests_per_unit: ${requests}}}]`;

async function startLimits(text: string) {
  const file = await limitsFile(text);
  const { application } = file;
  const service = await startTestService({ application, grpcPort: 0, admin: LOCAL_ADMIN, clock: manualClock() });
  return { ...service, ...file, client: grpcClient(service.grpcPort ?? 0) };
}

const ASK = '{"domain":"d","descriptors":[{"entries":[{"key":"address","value":"a"}]}]}';

describe("the service with limits of Envoy", () => {
  it("counts requests of gRPC and of HTTP together", async () => {
    const { url, client } = await startLimits(limitsOf(2));
    expect((await client.shouldRateLimit("d", { address: "a" })).overallCode).toBe(OK);
    const ask = () => fetch(`${url}/json`, { method: "POST", headers: JSON_BODY, body: ASK });
    expect([(await ask()).status, (await ask()).status]).toEqual([200, 429]);
    expect((await client.shouldRateLimit("d", { address: "a" })).overallCode).toBe(OVER_LIMIT);
    expect((await fetch(`${url}/ping`)).status).toBe(404);
    expect((await fetch(`${url}/json`)).headers.get("allow")).toBe("POST");
  });

  it("takes a change of its file, and keeps what was counted", async () => {
    const { write, client, adminUrl, log } = await startLimits(limitsOf(1));
    const ask = async () => (await client.shouldRateLimit("d", { address: "a" })).overallCode;
    expect([await ask(), await ask()]).toEqual([OK, OVER_LIMIT]);
    await write(limitsOf(5));
    await vi.waitFor(() => expect(log.join("\n")).toContain("limits loaded from"));
    expect([await ask(), await ask(), await ask(), await ask()]).toEqual([OK, OK, OK, OVER_LIMIT]);
    expect(await (await fetch(`${adminUrl}/rlconfig`)).text()).toContain("requests_per_unit=5");
  });

  it("refuses a file with mistakes, keeps its limits, and says so in log, health and metrics", async () => {
    const { write, path, client, url, adminUrl, errors } = await startLimits(limitsOf(1));
    await write("domain: d\nlimits: 1\ndescriptors: 2");
    await vi.waitFor(() => expect(errors).toHaveLength(3));
    expect(errors[1]).toBe(`${path}:2:1: expected only domain, descriptors, got "limits"`);
    expect((await client.shouldRateLimit("d", { address: "a" })).statuses[0]?.limitRemaining).toBe(0);
    const health = { status: "ok", limits: { state: "kept", loadedAt: expect.any(String) } };
    for (const at of [url, adminUrl]) expect(await (await fetch(`${at}/healthz`)).json()).toEqual(health);
    const metrics = await (await fetch(`${adminUrl}/metrics`)).text();
    expect(metrics).toMatch(/^tollgate_limits_kept 1$/m);
    expect(metrics).toMatch(/^tollgate_limits_reads_total\{result="refused"\} 1$/m);
    expect(metrics).toMatch(/^rate_limit_acquire_total\{limiter="envoy",limit="minute",result="allow"\} 1$/m);

    await write(limitsOf(3));
    await vi.waitFor(async () => expect(await (await fetch(`${url}/healthz`)).text()).toContain('"loaded"'));
  });
});

describe("the service with a limits file", () => {
  const text = (quota: number) => `
version: 1
domains:
  d:
    limits:
      address: { match: { descriptor: { address: "*" } }, by: address, quota: ${quota}/1m }
      job: { match: { descriptor: { job: "*" } }, by: job, inflight: { max: 1, ttl: 1m } }
`;

  it("counts requests of gRPC, of /json and of /v1/decide together, also after a reload", async () => {
    const { url, client, write, log } = await startLimits(text(3));
    const post = async (path: string, body: string) =>
      fetch(`${url}${path}`, { method: "POST", headers: JSON_BODY, body });
    expect((await client.shouldRateLimit("d", { address: "a" })).overallCode).toBe(OK);
    expect((await post("/json", ASK)).status).toBe(200);
    const decided = await post("/v1/decide", '{"domain":"d","facts":{"descriptor":{"address":"a"}}}');
    expect(await decided.json()).toMatchObject({ allowed: true, remaining: 0 });
    expect((await post("/json", ASK)).status).toBe(429);
    expect((await client.shouldRateLimit("d", { address: "a" })).overallCode).toBe(OVER_LIMIT);
    await write(text(4));
    await vi.waitFor(() => expect(log.join("\n")).toContain("limits loaded from"));
    expect((await client.shouldRateLimit("d", { address: "a" })).overallCode).toBe(OK);
    expect((await fetch(`${url}/healthcheck`)).status).toBe(200);
  });

  it("says in JSON what is over, with the headers for the client", async () => {
    const { url } = await startLimits(text(1));
    const ask = async (body: string) =>
      (await fetch(`${url}/json`, { method: "POST", headers: JSON_BODY, body })).json();
    await ask(ASK);
    expect(await ask(ASK)).toEqual({
      overallCode: "OVER_LIMIT",
      statuses: [
        {
          code: "OVER_LIMIT",
          currentLimit: { requestsPerUnit: 1, unit: "MINUTE", name: "address.quota" },
          durationUntilReset: "60s",
        },
      ],
      responseHeadersToAdd: [
        { key: "RateLimit-Policy", value: '"address.quota";q=1;w=60' },
        { key: "RateLimit", value: '"address.quota";r=0;t=60' },
        { key: "Retry-After", value: "60" },
      ],
    });
    expect(await ask(ASK.replace("address", "job"))).toEqual({
      error: expect.stringContaining("use reserve"),
      code: "ERR_LIMITS",
    });
  });
});
