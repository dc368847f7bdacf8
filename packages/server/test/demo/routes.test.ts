import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { call, statuses } from "../support/call.ts";
import { startTestService } from "../support/test-service.ts";

const JSON_TYPE = "application/json; charset=utf-8";
const TEXT_TYPE = "text/plain; charset=utf-8";

describe("the routes of the service", () => {
  it.each([
    ["/", JSON_TYPE, '{"status":"ok"}'],
    ["/ping", TEXT_TYPE, "pong"],
    ["/test", TEXT_TYPE, "allowed"],
    ["/healthz", JSON_TYPE, '{"status":"ok"}'],
    ["/ping?from=query", TEXT_TYPE, "pong"],
  ])("answer GET %s", async (path, type, body) => {
    const { url } = await startTestService();
    expect(await call(url + path)).toMatchObject({
      status: 200,
      headers: { "content-type": type, "content-length": String(body.length), "cache-control": "no-store" },
      body,
    });
  });

  it.each(["/", "/ping", "/test"])("answer and count HEAD %s as GET, without the body", async (path) => {
    const { url } = await startTestService({ capacity: 3, clock: manualClock() });
    const get = await call(url + path);
    const head = await call(url + path, { method: "HEAD" });
    expect(head).toMatchObject({ status: 200, body: "" });
    expect(head.headers["content-type"]).toBe(get.headers["content-type"]);
    expect(head.headers["content-length"]).toBe(String(get.body.length));
    expect(await statuses(2, url + path, { method: "HEAD" })).toEqual([200, 429]);
  });

  it("do not limit /healthz, which has no RateLimit headers", async () => {
    const { url } = await startTestService({ capacity: 1, clock: manualClock() });
    expect(await statuses(2, url)).toEqual([200, 429]);
    expect(await statuses(20, `${url}/healthz`)).toEqual(Array.from({ length: 20 }, () => 200));
    expect(await call(`${url}/healthz`, { method: "HEAD" })).toMatchObject({ status: 200, body: "" });
    expect(await call(`${url}/healthz`, { method: "POST" })).toMatchObject({
      status: 405,
      headers: { allow: "GET, HEAD" },
    });
    const { headers } = await call(`${url}/healthz`);
    expect(Object.keys(headers).filter((name) => name.startsWith("ratelimit"))).toEqual([]);
  });

  it.each(["POST", "PUT", "DELETE", "OPTIONS"])("answer %s with 405, uncounted", async (method) => {
    const { url } = await startTestService({ capacity: 1, clock: manualClock() });
    expect(await call(`${url}/ping`, { method })).toMatchObject({
      status: 405,
      headers: { allow: "GET, HEAD", "content-type": JSON_TYPE },
      body: '{"error":"method not allowed"}',
    });
    expect(await statuses(2, `${url}/ping`)).toEqual([200, 429]);
  });

  it.each(["/nowhere", "/ping/", "//ping", "/PING", "/__proto__"])("answer %s with 404, uncounted", async (path) => {
    const { url } = await startTestService({ capacity: 1, clock: manualClock() });
    for (const method of ["GET", "POST"]) {
      expect(await call(url + path, { method })).toMatchObject({
        status: 404,
        headers: { "content-type": JSON_TYPE },
        body: '{"error":"not found"}',
      });
    }
    expect(await statuses(2, url)).toEqual([200, 429]);
  });
});
