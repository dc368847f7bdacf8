import { describe, expect, it, onTestFinished } from "vitest";
import { startAdmin } from "../../src/admin/admin.ts";
import type { AdminToken } from "../../src/admin/admin-token.ts";
import type { Bounds } from "../../src/http/guarded-server.ts";
import { statuses } from "../support/call.ts";
import { openConnection } from "../support/connection.ts";
import { LOCAL_ADMIN } from "../support/test-admin.ts";

const NEVER_MS = 600_000;
const PATIENT = {
  headersMs: NEVER_MS,
  requestMs: NEVER_MS,
  keepAliveMs: NEVER_MS,
  silenceMs: NEVER_MS,
  checkIntervalMs: 10,
};

async function start(bounds: Partial<Bounds>, tokens?: readonly AdminToken[]): Promise<string> {
  const admin = await startAdmin({
    ...LOCAL_ADMIN,
    tokens,
    log: () => {},
    isReady: () => true,
    routes: {},
    health: () => ({}),
    metrics: { collect: async () => [] },
    bounds: { ...PATIENT, ...bounds },
  });
  onTestFinished(() => admin.close());
  return admin.url;
}

describe("the admin listener cuts off a client that", () => {
  it("sends its head too slowly", async () => {
    const connection = await openConnection(await start({ headersMs: 100 }));
    connection.send("GET /metrics HTTP/1.1\r\n");
    await connection.closed;
    expect(connection.received).toMatch(/^HTTP\/1.1 408 /);
  });
});

describe("the connections of the admin listener", () => {
  it("are those that came last: a client without a token cannot hold them", async () => {
    const url = await start({});
    const held = await Promise.all(Array.from({ length: 60 }, () => openConnection(url)));
    for (const connection of held) connection.send("GET /healthz HTTP/1.1\r\n");
    expect(await statuses(40, `${url}/healthz`)).toEqual(Array.from({ length: 40 }, () => 200));
    await held[0]?.closed;
  });

  it("are not displaced by a client that has more and opens its own again and again", async () => {
    const url = await start({});
    const probe = await openConnection(url);
    const greedy = await Promise.all(Array.from({ length: 60 }, () => openConnection(url, "127.0.0.2")));
    await greedy[0]?.closed;
    for (let i = 0; i < 60; i += 1) await openConnection(url, "127.0.0.2");
    probe.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await Promise.race([probe.receives(/^HTTP\/1.1 200 /), probe.closed]);
    expect(probe.received).toMatch(/^HTTP\/1.1 200 /);
  });

  it("stay if their client has brought a token", async () => {
    const token = "a-token-of-the-monitor";
    const url = await start({}, [{ token, access: "read" }]);
    const monitor = await openConnection(url);
    const ask = `GET /metrics HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n\r\n`;
    monitor.send(ask);
    await monitor.receives(/^HTTP\/1.1 200 /);
    await Promise.all(Array.from({ length: 60 }, () => openConnection(url)));
    monitor.received = "";
    monitor.send(ask);
    await monitor.receives(/^HTTP\/1.1 200 /);
  });

  it("are no more than granted, even if all have brought one", async () => {
    const token = "a-token-of-the-monitor";
    const url = await start({ connections: 2 }, [{ token, access: "read" }]);
    for (let i = 0; i < 2; i += 1) {
      const monitor = await openConnection(url);
      monitor.send(`GET /metrics HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n\r\n`);
      await monitor.receives(/^HTTP\/1.1 200 /);
    }
    await (await openConnection(url)).closed;
  });
});
