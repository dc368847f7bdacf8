import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { manualClock } from "tollgate/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { call, statuses } from "../support/call.ts";
import { serveRoutes } from "../support/route-server.ts";
import { startTestService, type TestService } from "../support/test-service.ts";

/** A service that this address has exhausted. */
async function startExhausted(): Promise<TestService> {
  const service = await startTestService({ capacity: 1, clock: manualClock() });
  expect(await statuses(2, service.url)).toEqual([200, 429]);
  return service;
}

describe("the service and its clients", () => {
  it("counts an API key apart from the address that reads the same", async () => {
    const { url } = await startExhausted();
    expect(await statuses(2, url, { headers: { "X-API-Key": "127.0.0.1" } })).toEqual([200, 429]);
    expect(await statuses(2, url, { headers: { "X-API-Key": "1:127.0.0.1" } })).toEqual([200, 429]);
  });

  it("gives every API key its own budget", async () => {
    const { url } = await startExhausted();
    expect(await statuses(2, url, { headers: { "X-API-Key": "ann" } })).toEqual([200, 429]);
    expect(await statuses(2, url, { headers: { "X-API-Key": "bob" } })).toEqual([200, 429]);
  });

  it("ignores an empty API key", async () => {
    const { url } = await startExhausted();
    expect(await statuses(1, url, { headers: { "X-API-Key": "" } })).toEqual([429]);
  });

  it("ignores X-Forwarded-For by default", async () => {
    const { url } = await startExhausted();
    expect(await statuses(1, url, { headers: { "X-Forwarded-For": "203.0.113.9" } })).toEqual([429]);
  });

  it.each([1, "loopback", ["127.0.0.0/8"]] as const)(
    "with --trust-proxy %j the client has the address that the proxy forwards",
    async (trustProxy) => {
      const { url } = await startTestService({ capacity: 1, trustProxy, clock: manualClock() });
      const from = (forwarded: string) => statuses(2, url, { headers: { "X-Forwarded-For": forwarded } });
      expect(await from("203.0.113.9")).toEqual([200, 429]);
      expect(await from("198.51.100.7, 203.0.113.9")).toEqual([429, 429]);
      expect(await from("2001:db8::1")).toEqual([200, 429]);
      expect(await from("2001:db8::2")).toEqual([429, 429]);
      expect(await statuses(1, url)).toEqual([200]);
    },
  );

  it("sends the headers of draft 11", async () => {
    const { url } = await startTestService({ capacity: 10, clock: manualClock() });
    const { headers } = await fetch(url);
    expect(headers.get("ratelimit-policy")).toBe('"1-per-1s-burst-10";q=10;w=10');
    expect(headers.get("ratelimit")).toBe('"1-per-1s-burst-10";r=9;t=1');
  });

  it("counts all requests of a unix socket as one client", async () => {
    const folder = await mkdtemp(join(tmpdir(), "tollgate-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const socketPath = join(folder, "socket");
    const { limiters } = await serveRoutes({ capacity: 2 }, { path: socketPath });

    expect(await statuses(3, "http://service/ping", { socketPath })).toEqual([200, 200, 429]);
    expect((await call("http://service/ping", { socketPath, headers: { "X-API-Key": "unknown" } })).status).toBe(200);
    const unknown = { method: "GET", path: "/", remoteAddress: undefined, header: () => undefined };
    expect(limiters.client.explain(unknown)).toMatchObject([{ key: "1:unknown", used: 2 }]);
  });
});
