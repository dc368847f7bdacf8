import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import type { LogEntry } from "../../src/log/log.ts";
import { RequestLog } from "../../src/log/request-log.ts";
import { call, statuses } from "../support/call.ts";
import { openConnection } from "../support/connection.ts";
import { startTestService, type TestService } from "../support/test-service.ts";

interface Line {
  readonly event: string;
  readonly [field: string]: unknown;
}

function linesOf(lines: readonly string[], event?: string): Line[] {
  const parsed = lines.map((line) => JSON.parse(line) as Line);
  return event === undefined ? parsed : parsed.filter((line) => line.event === event);
}

/** The service at the end of time: each client has one request, and gets none back. */
function start(logDenials: number): Promise<TestService> {
  return startTestService({ capacity: 1, clock: manualClock(), requestIds: true, logDenials });
}

describe("the log of denials", () => {
  it("says which request of which client was denied, by which limit, and for how long", async () => {
    const service = await start(10);
    await call(service.url);
    const { headers } = await call(`${service.url}/ping?secret=1`);
    expect(linesOf(service.log)).toEqual([
      {
        time: expect.stringMatching(/^\d{4}-.+Z$/),
        level: "info",
        event: "denied",
        msg: expect.stringContaining("denied limiter=client"),
        limiter: "client",
        limit: "1-per-1s",
        reason: "exhausted",
        client: "127.0.0.1",
        method: "GET",
        path: "/ping",
        request_id: headers["x-request-id"],
        retry_after_ms: 1_000,
      },
    ]);
    expect(service.log.join()).not.toContain("secret");
  });

  it("is empty by default, and with text", async () => {
    const service = await startTestService({ capacity: 1, clock: manualClock() });
    expect(await statuses(3, service.url)).toEqual([200, 429, 429]);
    await service.close();
    expect(service.log).toEqual([]);
  });

  it("may be asked for with text, too", async () => {
    const { url, log } = await startTestService({ capacity: 1, clock: manualClock(), logDenials: 5 });
    await statuses(2, url);
    expect(log).toEqual([
      "denied limiter=client limit=1-per-1s reason=exhausted client=127.0.0.1 method=GET path=/ retry_after_ms=1000",
    ]);
  });

  it("has no API key, but its hash", async () => {
    const service = await start(10);
    await statuses(2, service.url, { headers: { "X-API-Key": "sk-live-0123456789" } });
    const hash = createHash("sha256").update("sk-live-0123456789").digest("hex").slice(0, 12);
    expect(linesOf(service.log)).toMatchObject([{ client: `key-${hash}` }]);
    expect(service.log.join()).not.toContain("sk-live");
  });
});

describe("the log of a request", () => {
  it("has no more than the beginning of its path", () => {
    const entries: LogEntry[] = [];
    const log = new RequestLog({ log: (entry) => entries.push(entry), ids: undefined, denials: 0, intervalMs: 1_000 });
    const url = `/${"p".repeat(5_000)}?secret=1`;
    log.failed(new Error("broken"), { method: "GET", url, headers: {}, socket: {} } as IncomingMessage);
    log.close();
    expect(entries).toMatchObject([{ event: "failed", fields: { path: `/${"p".repeat(255)}` } }]);
    expect(entries[0]?.text).toBe(`GET /${"p".repeat(255)} failed: Error: broken`);
  });
});

describe("a flood of denials over sockets", () => {
  const MOST = 10;
  const REQUESTS = 1_000;
  const CLIENTS = 8;

  it("is a line for each of ten clients in an interval, and one that counts the rest, for each limiter", async () => {
    const service = await start(MOST);
    const startedMs = performance.now();
    await Promise.all(
      Array.from({ length: CLIENTS }, async (_, client) => {
        const connection = await openConnection(service.url);
        const request = (index: number, end = "") =>
          `GET ${index % 2 === 0 ? "/ping" : "/test"} HTTP/1.1\r\nHost: a\r\nX-API-Key: ${client}-${index % 50}\r\n${end}\r\n`;
        const requests = Array.from({ length: REQUESTS }, (_unused, index) => request(index)).join("");
        connection.send(`${requests}${request(REQUESTS, "Connection: close\r\n")}`);
        await connection.closed;
      }),
    );
    const elapsedMs = performance.now() - startedMs;
    await service.close();
    const denied = linesOf(service.log, "denied");
    const leftOut = linesOf(service.log, "denials-left-out");
    // 400 clients: 200 of /ping with one request each, 200 of /test with three.
    const all = CLIENTS * (REQUESTS + 1) - 200 * 1 - 200 * 3;
    const counted = leftOut.reduce((sum, { count }) => sum + Number(count), 0);
    expect(denied.length + counted).toBe(all);
    // An interval is ten seconds. The flood takes less, on a busy machine perhaps more.
    const intervals = Math.ceil(elapsedMs / 10_000) + 1;
    expect(denied.length).toBeLessThanOrEqual(2 * MOST * intervals);
    expect(leftOut.length).toBeLessThanOrEqual(2 * intervals);
    expect(denied.length).toBeGreaterThanOrEqual(2 * MOST);
  });
});

describe("a flood of failures", () => {
  it("is a line for each kind of error in an interval, and one that counts the rest", async () => {
    let works = true;
    const now = (): number => {
      if (works) return 0;
      throw new RangeError("the clock fell over");
    };
    const service = await startTestService({ clock: { now }, requestIds: true });
    works = false;
    const seen = await statuses(50, `${service.url}/ping?secret=1`);
    expect(new Set(seen)).toEqual(new Set([500]));
    works = true;
    await service.close();
    const failed = linesOf(service.errors, "failed");
    expect(failed).toMatchObject([
      { level: "error", method: "GET", path: "/ping", error: "RangeError: the clock fell over" },
    ]);
    expect(failed[0]?.["request_id"]).toMatch(/^[0-9a-f-]{36}$/);
    expect(linesOf(service.log, "failures-left-out")).toMatchObject([{ level: "warn", count: 49 }]);
    expect(service.errors.join()).not.toContain("secret");
  });
});
