import { describe, expect, it } from "vitest";
import { call } from "./call.ts";
import { openConnection, openRequestInFlight } from "./connection.ts";
import { startTestService } from "./test-service.ts";

/** Longer than any test may take: nothing here ends because the grace period did, unless it says so. */
const LONG_MS = 600_000;

describe("closing", { timeout: 10_000 }, () => {
  it("lets a request in flight finish, and says that it was the connection's last", async () => {
    const service = await startTestService({ graceMs: LONG_MS });
    const connection = await openRequestInFlight(service.url);
    const closed = service.close();
    connection.send("\r\n");
    await connection.closed;
    expect(connection.received).toMatch(/^HTTP\/1.1 200 .*\r\nconnection: close\r\n.*pong$/s);
    await closed;
    expect(service.log).toEqual([]);
  });

  it("accepts nobody any more", async () => {
    const service = await startTestService({ graceMs: LONG_MS });
    const connection = await openRequestInFlight(service.url);
    const closed = service.close();
    await expect(call(service.url)).rejects.toThrow("ECONNREFUSED");
    connection.send("\r\n");
    await closed;
  });

  it("ends connections that are kept alive without a request", async () => {
    const service = await startTestService({ graceMs: LONG_MS });
    const connection = await openConnection(service.url);
    connection.send("GET /ping HTTP/1.1\r\nHost: service\r\n\r\n");
    await connection.receives(/pong/);
    await service.close();
    await connection.closed;
  });

  it("ends connections that never sent anything", async () => {
    const service = await startTestService({ graceMs: LONG_MS });
    const connection = await openConnection(service.url);
    // Connections are accepted in turn: the silent one is known when the next is answered.
    expect((await call(service.url)).status).toBe(200);
    await service.close();
    await connection.closed;
  });

  it("cuts off what takes longer than the grace period", async () => {
    const service = await startTestService({ graceMs: 50 });
    const connection = await openRequestInFlight(service.url);
    await service.close();
    await connection.closed;
    expect(connection.received).toBe("");
    expect(service.log).toEqual(["tollgate cut off requests that took longer than 50 ms to finish"]);
  });

  it("twice is closing once", async () => {
    const service = await startTestService({ graceMs: LONG_MS });
    await Promise.all([service.close(), service.close()]);
    await service.close();
  });
});
