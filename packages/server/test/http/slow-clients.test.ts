import { describe, expect, it, onTestFinished } from "vitest";
import { statuses } from "../support/call.ts";
import { type Connection, openConnection } from "../support/connection.ts";
import { startTestService } from "../support/test-service.ts";

/** Longer than any test: what a timeout is that should not be the one that ends a connection. */
const NEVER_MS = 600_000;
const PATIENT = {
  headersMs: NEVER_MS,
  requestMs: NEVER_MS,
  keepAliveMs: NEVER_MS,
  silenceMs: NEVER_MS,
  checkIntervalMs: 10,
};
const GET = "GET /ping HTTP/1.1\r\nHost: service\r\n\r\n";

/** Sends a text byte by byte, until the server has had enough. */
function drip(connection: Connection, text: string): void {
  let at = 0;
  const timer = setInterval(() => connection.send(text[at++ % text.length] ?? ""), 5);
  void connection.closed.then(() => clearInterval(timer));
  onTestFinished(() => clearInterval(timer));
}

describe("the service cuts off a client that", () => {
  // With the default of five seconds the test would time out.
  it("sends its head for longer than --headers-timeout says", { timeout: 4_000 }, async () => {
    const { url } = await startTestService({ headersMs: 200, bounds: { checkIntervalMs: 10, silenceMs: NEVER_MS } });
    const connection = await openConnection(url);
    connection.send("GET /ping HTTP/1.1\r\n");
    drip(connection, "X-Slow: very\r\n");
    await connection.closed;
    expect(connection.received).toMatch(/^HTTP\/1.1 408 /);
  });

  it("sends nothing", async () => {
    const { url } = await startTestService({ bounds: { ...PATIENT, headersMs: 200 } });
    const connection = await openConnection(url);
    await connection.closed;
    expect(connection.received).not.toContain("200");
  });

  it("sends its body byte by byte", async () => {
    const { url } = await startTestService({ bounds: { ...PATIENT, headersMs: 200, requestMs: 300 } });
    const connection = await openConnection(url);
    connection.send("POST /ping HTTP/1.1\r\nHost: service\r\nContent-Length: 1000000\r\n\r\n");
    drip(connection, "slow ");
    await connection.closed;
    expect(connection.received).toMatch(/^HTTP\/1.1 405 /);
  });

  it("keeps a connection without using it", async () => {
    const { url } = await startTestService({ bounds: { ...PATIENT, keepAliveMs: 100 } });
    const connection = await openConnection(url);
    connection.send(GET);
    await connection.closed;
    expect(connection.received).toMatch(/^HTTP\/1.1 200 .*pong$/s);
  });

  it("sends requests without reading the responses", async () => {
    const { url } = await startTestService({ bounds: { ...PATIENT, silenceMs: 300 } });
    const connection = await openConnection(url);
    connection.socket.pause();
    for (let i = 0; i < 200; i += 1) connection.send(GET.repeat(1_000));
    await connection.closed;
  });

  it("sends a head that is too long", async () => {
    const { url } = await startTestService({ bounds: PATIENT });
    const connection = await openConnection(url);
    connection.send(`GET /ping HTTP/1.1\r\nX-API-Key: ${"k".repeat(50_000)}\r\n`);
    await connection.closed;
    expect(connection.received).toMatch(/^HTTP\/1.1 431 /);
  });

  it("opens one connection more than there may be, and serves the others", async () => {
    const { url } = await startTestService({ maxConnections: 2, bounds: PATIENT });
    const first = await openConnection(url);
    await openConnection(url);
    const beyond = await openConnection(url);
    await beyond.closed;
    expect(beyond.received).toBe("");
    first.send(GET);
    await first.receives(/pong/);
    first.socket.destroy();
    await expect.poll(() => statuses(1, `${url}/ping`).catch(String)).toEqual([200]);
  });
});
