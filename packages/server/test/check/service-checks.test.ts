import type { TrustProxy } from "tollgate/node";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { call } from "../support/call.ts";
import { openConnection } from "../support/connection.ts";
import { startTestService, type TestService } from "../support/test-service.ts";

/** A service of one request a client, and what it answers to a check for an address. */
async function serveOne(trustProxy: TrustProxy): Promise<(client: string, headers?: object) => Promise<unknown>> {
  const { url }: TestService = await startTestService({ capacity: 1, trustProxy, clock: manualClock() });
  return async (client, headers) =>
    (await call(`${url}/check`, { headers: { "X-Forwarded-For": client, ...headers } })).status;
}

describe("the service's checks", () => {
  it("believe proxies on this machine unless a flag names others", async () => {
    const check = await serveOne(false);
    expect([await check("192.0.2.1"), await check("192.0.2.2"), await check("192.0.2.2")]).toEqual([200, 200, 429]);
  });

  it.each([[["192.0.2.9"]], [0]])("believe only proxies that the flag names: %j", async (trustProxy) => {
    const check = await serveOne(trustProxy);
    expect([await check("192.0.2.1"), await check("192.0.2.2")]).toEqual([200, 429]);
  });

  it("count an API key that the proxy passes on, whatever the address", async () => {
    const check = await serveOne(false);
    const key = { "X-API-Key": "k-1" };
    expect([await check("192.0.2.1", key), await check("192.0.2.2", key), await check("192.0.2.2")]).toEqual([
      200, 429, 200,
    ]);
  });

  it("see what the proxy says behind thousands of short headers", async () => {
    const { url } = await startTestService({ capacity: 1, clock: manualClock() });
    const many = "a:1\r\n".repeat(5_000);
    const ask = async (client: string) => {
      const connection = await openConnection(url);
      connection.send(
        `GET /check HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${many}X-Forwarded-For: ${client}\r\n\r\n`,
      );
      await connection.closed;
      return /^HTTP\/1.1 (\d+)/.exec(connection.received)?.[1];
    };
    expect([await ask("192.0.2.1"), await ask("192.0.2.2"), await ask("192.0.2.1")]).toEqual(["200", "200", "429"]);
  });

  it("are logged when they deny, as the request that was denied", async () => {
    const { url, log } = await startTestService({ capacity: 1, logDenials: 1, clock: manualClock() });
    const headers = { "X-Forwarded-For": "192.0.2.1", "X-Forwarded-Method": "PUT", "X-Forwarded-Uri": "/a?secret" };
    for (const route of ["/check", "/check/403"]) await call(`${url}${route}`, { headers });
    expect(log.filter((line) => line.startsWith("denied"))).toEqual([
      "denied limiter=client limit=1-per-1s reason=exhausted client=192.0.2.1 method=PUT path=/a retry_after_ms=1000",
    ]);
  });

  it("count with the other routes of the service", async () => {
    const { url } = await startTestService({ capacity: 1, clock: manualClock() });
    const local = { headers: { "X-Forwarded-For": "127.0.0.1" } };
    expect((await call(`${url}/check/403`, local)).status).toBe(200);
    expect((await call(`${url}/ping`)).status).toBe(429);
    expect((await call(`${url}/check/`)).status).toBe(404);
  });
});

describe("a check that is no proper HTTP", () => {
  it.each([
    ["a head of 39 KiB", `X-API-Key: ${"k".repeat(39 * 1024)}`, 200],
    ["a longer head", `X-API-Key: ${"k".repeat(41 * 1024)}`, 431],
    ["a control character", "X-API-Key: a\u0001b", 400],
    ["an unknown expectation", "Expect: nonsense", 417],
  ])("has its answer: %s", async (_title, line, status) => {
    const { url } = await startTestService();
    const connection = await openConnection(url);
    connection.send(`GET /check HTTP/1.1\r\nHost: limiter\r\nConnection: close\r\n${line}\r\n\r\n`);
    await connection.closed;
    expect(connection.received).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  });
});
