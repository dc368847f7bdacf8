import type { ServerResponse } from "node:http";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { drainable } from "../../src/http/drain.ts";
import { createGuardedServer, DEFAULT_BOUNDS } from "../../src/http/guarded-server.ts";
import { listen } from "../../src/http/listen.ts";
import { MOST_AT_ONCE } from "../../src/http/pipelining.ts";
import { call } from "../support/call.ts";
import { openConnection, openRequestInFlight } from "../support/connection.ts";
import { limitsFile } from "../support/limits-file.ts";
import { startTestService, type TestService } from "../support/test-service.ts";

/** Longer than any test may take: connections end for the reason that is tested, and for no other. */
const LONG_MS = 600_000;

function start(graceMs: number): Promise<TestService> {
  return startTestService({ graceMs, bounds: { keepAliveMs: LONG_MS } });
}

const GET = "GET / HTTP/1.1\r\nHost: service\r\n\r\n";

/** A server whose answers wait, and a connection to it. */
async function startSlow(begin: (response: ServerResponse) => void = () => {}) {
  const waiting: ServerResponse[] = [];
  let parsed = 0;
  const server = createGuardedServer(
    (_request, response) => {
      waiting.push(response);
      begin(response);
    },
    { ...DEFAULT_BOUNDS, keepAliveMs: LONG_MS, requestMs: LONG_MS },
  );
  const drain = drainable(server);
  server.prependListener("request", () => {
    parsed += 1;
  });
  onTestFinished(() => server.closeAllConnections());
  const url = await listen(server, { host: "127.0.0.1", port: 0, flags: "--" });
  return {
    connection: await openConnection(url),
    parsed: () => parsed,
    served: () => waiting.length,
    closed: () => drain(LONG_MS),
    finish: () => {
      for (const response of waiting) response.end("done");
    },
  };
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

  it("ends a connection at once after a request that was being served", async () => {
    const { application } = await limitsFile("version: 1\ndomains: { api: { limits: { all: { rate: 9/1m } } } }\n");
    const service = await startTestService({ application, graceMs: LONG_MS, bounds: { keepAliveMs: LONG_MS } });
    const connection = await openConnection(service.url);
    const body = '{"domain":"api","facts":{}}';
    const whole = `POST /v1/decide HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
    // The answer to the first request says that the second one is being served.
    connection.send(whole + body + whole + body.slice(0, 5));
    await connection.receives(/"remaining":8/);
    connection.received = "";
    const closed = service.close();
    connection.send(body.slice(5));
    await connection.closed;
    expect(connection.received).toMatch(/^HTTP\/1.1 200 .*\r\nconnection: close\r\n.*"remaining":7/is);
    await closed;
  });

  it("serves no request that comes after the last one of a connection", async () => {
    const { connection, parsed, served, closed, finish } = await startSlow();
    connection.send(GET.repeat(2));
    // Two are served at once, and the service begins to stop.
    await vi.waitFor(() => expect(served()).toBe(2));
    const isClosed = closed();
    connection.send(GET.repeat(3));
    await vi.waitFor(() => expect(parsed()).toBe(5));
    finish();
    await connection.closed;
    await isClosed;
    expect(served()).toBe(2);
    expect(connection.received.match(/HTTP\/1.1 200/g)).toHaveLength(2);
    expect(connection.received.match(/^connection: close/gim)).toHaveLength(1);
  });

  it("does not reset a connection on which more requests come: answers under way would be lost", async () => {
    const { connection, served, closed, finish } = await startSlow();
    const errors: Error[] = [];
    connection.socket.on("error", (error) => errors.push(error));
    connection.send(GET);
    await vi.waitFor(() => expect(served()).toBe(1));
    const isClosed = closed();
    finish();
    connection.send(GET.replace("\r\n\r\n", `\r\nX-Long: ${"a".repeat(30_000)}\r\n\r\n`).repeat(300));
    await connection.closed;
    await isClosed;
    expect(errors).toEqual([]);
    expect(connection.received).toMatch(/^connection: close\r\n(?:.*\r\n)*\r\ndone$/im);
  });

  it("ends a connection whose answer had begun, as soon as the answer is over", async () => {
    const { connection, served, closed, finish } = await startSlow((response) => response.flushHeaders());
    connection.send(GET);
    await connection.receives(/^HTTP\/1.1 200/);
    expect(served()).toBe(1);
    const isClosed = closed();
    finish();
    await connection.closed;
    await isClosed;
  });

  it("gives a client that reads slowly all answers that were made", async () => {
    const answer = "a".repeat(2_000_000);
    const { connection, served, closed } = await startSlow((response) => void response.end(answer));
    connection.socket.pause();
    connection.send(GET.repeat(MOST_AT_ONCE + 4));
    await vi.waitFor(() => expect(served()).toBeGreaterThanOrEqual(MOST_AT_ONCE));
    const isClosed = closed();
    connection.send(GET.repeat(9));
    connection.socket.resume();
    await connection.closed;
    await isClosed;
    expect(served()).toBe(MOST_AT_ONCE + 4);
    expect(connection.received.match(/\r\n\r\na{2000000}/g)).toHaveLength(served());
  });

  it("is idempotent", async () => {
    const service = await start(LONG_MS);
    const closed = service.close();
    expect(service.close()).toBe(closed);
    await closed;
    expect(service.close()).toBe(closed);
  });
});
