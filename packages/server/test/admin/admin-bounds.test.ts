import { createServer } from "node:http";
import { describe, expect, it, onTestFinished } from "vitest";
import { startAdmin } from "../../src/admin/admin.ts";
import type { Bounds } from "../../src/http/guarded-server.ts";
import { LimiterSet } from "../../src/limiter-set.ts";
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

async function start(bounds: Partial<Bounds>): Promise<string> {
  const admin = await startAdmin({
    ...LOCAL_ADMIN,
    log: () => {},
    isReady: () => true,
    server: createServer(),
    application: { routes: {}, adminRoutes: {}, limiters: new LimiterSet(), health: () => ({}), close: () => {} },
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

  it("sends a body too slowly", async () => {
    const connection = await openConnection(await start({ headersMs: 100, requestMs: 200 }));
    connection.send("POST /metrics HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n1");
    await connection.closed;
    expect(connection.received).toMatch(/^HTTP\/1.1 405 /);
  });

  it("keeps a connection without using it", async () => {
    const connection = await openConnection(await start({ keepAliveMs: 100 }));
    connection.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await connection.closed;
    expect(connection.received).toMatch(/^HTTP\/1.1 200 /);
  });

  it("does not read what it asked for", async () => {
    const connection = await openConnection(await start({ silenceMs: 200 }));
    connection.socket.pause();
    for (let i = 0; i < 200; i += 1) connection.send("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(1_000));
    await connection.closed;
  });

  it("sends a head that is too long", async () => {
    const connection = await openConnection(await start({}));
    connection.send(`GET /metrics HTTP/1.1\r\nX-Long: ${"x".repeat(9_000)}\r\n`);
    await connection.closed;
    expect(connection.received).toMatch(/^HTTP\/1.1 431 /);
  });

  it("opens one connection more than it grants, and serves the others", async () => {
    const url = await start({});
    const connections = await Promise.all(Array.from({ length: 32 }, () => openConnection(url)));
    const beyond = await openConnection(url);
    await beyond.closed;
    expect(beyond.received).toBe("");
    connections[0]?.socket.destroy();
    await expect.poll(() => statuses(1, `${url}/healthz`).catch(String)).toEqual([200]);
  });
});
