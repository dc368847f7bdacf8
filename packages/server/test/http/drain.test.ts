import { describe, expect, it } from "vitest";
import { call } from "../support/call.ts";
import { openConnection, openRequestInFlight } from "../support/connection.ts";
import { startTestService, type TestService } from "../support/test-service.ts";

/** Longer than any test may take: connections end for the reason that is tested, and for no other. */
const LONG_MS = 600_000;

function start(graceMs: number): Promise<TestService> {
  return startTestService({ graceMs, bounds: { keepAliveMs: LONG_MS } });
}

describe("closing the service", () => {
  it("lets a request in flight finish, and announces the connection's end", async () => {
    const service = await start(LONG_MS);
    const connection = await openRequestInFlight(service.url);
    const closed = service.close();
    connection.send("\r\n");
    await connection.closed;
    expect(connection.received).toMatch(/^HTTP\/1.1 200 .*\r\nconnection: close\r\n.*pong$/s);
    await closed;
    expect(service.log).toEqual([]);
  });

  it("accepts no more connections", async () => {
    const service = await start(LONG_MS);
    const connection = await openRequestInFlight(service.url);
    const closed = service.close();
    await expect(call(service.url)).rejects.toThrow("ECONNREFUSED");
    connection.send("\r\n");
    await closed;
  });

  it("ends kept-alive connections without a request", async () => {
    const service = await start(LONG_MS);
    const connection = await openConnection(service.url);
    connection.send("GET /ping HTTP/1.1\r\nHost: service\r\n\r\n");
    await connection.receives(/pong/);
    await service.close();
    await connection.closed;
  });

  it("ends connections that have never sent a byte", async () => {
    const service = await start(LONG_MS);
    const connection = await openConnection(service.url);
    // Connections are accepted in turn: the silent one is known when the next is answered.
    expect((await call(service.url)).status).toBe(200);
    await service.close();
    await connection.closed;
  });

  it("cuts off requests that take longer than the grace period", async () => {
    const service = await start(50);
    const connection = await openRequestInFlight(service.url);
    await service.close();
    await connection.closed;
    expect(connection.received).toBe("");
    expect(service.log).toEqual(["tollgate cut off requests that took longer than 50 ms to finish"]);
  });

  it("is idempotent", async () => {
    const service = await start(LONG_MS);
    const closed = service.close();
    expect(service.close()).toBe(closed);
    await closed;
    expect(service.close()).toBe(closed);
  });
});
