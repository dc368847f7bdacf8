import { Agent } from "node:http";
import { createLimiter, perMinute } from "tollgate";
import { describe, expect, it, onTestFinished } from "vitest";
import { call, statuses } from "../support/call.ts";
import { openConnection } from "../support/connection.ts";
import { perAddress, serveChecks } from "./serve-checks.ts";

const POLICY = '"2-per-1m";q=2;w=60';

describe("/check", () => {
  it("allows with 200, the RateLimit headers and no body", async () => {
    const { url } = await serveChecks(perAddress(2));
    const answer = await call(`${url}/check`);
    expect(answer).toMatchObject({ status: 200, body: "" });
    expect(answer.headers).toMatchObject({
      "ratelimit-policy": POLICY,
      ratelimit: '"2-per-1m";r=1;t=30',
      "content-length": "0",
      "cache-control": "no-store",
    });
    expect(answer.headers["retry-after"]).toBeUndefined();
  });

  it("denies with 429, Retry-After and the body", async () => {
    const { url } = await serveChecks(perAddress(2));
    await statuses(2, `${url}/check`);
    const answer = await call(`${url}/check`);
    expect(answer).toMatchObject({ status: 429, body: '{"error":"rate limit exceeded","retry_after_secs":30}' });
    expect(answer.headers).toMatchObject({
      "ratelimit-policy": POLICY,
      ratelimit: '"2-per-1m";r=0;t=30',
      "retry-after": "30",
      "content-type": "application/json; charset=utf-8",
      "cache-control": "no-store",
    });
  });

  it("waits for a limiter that is asynchronous, and answers 500 when it fails", async () => {
    const key = async (facts: { readonly path: string }) => {
      if (facts.path === "/fail") throw new Error("no database");
      return facts.path;
    };
    const { url, errors } = await serveChecks({ limiter: createLimiter({ key, limits: [perMinute(1)] }) });
    const ask = (uri: string) => call(`${url}/check`, { headers: { "X-Forwarded-Uri": uri } });
    expect([(await ask("/a")).status, (await ask("/a")).status]).toEqual([200, 429]);
    expect(await ask("/fail")).toMatchObject({ status: 500, body: '{"error":"internal server error"}' });
    expect(errors).toEqual([new Error("no database")]);
  });
});

describe("/check/403", () => {
  it("allows as /check does, and shares its count", async () => {
    const { url } = await serveChecks(perAddress(2));
    const [first, second] = [await call(`${url}/check`), await call(`${url}/check/403`)];
    expect(second).toMatchObject({ status: 200, body: "" });
    expect([first.headers["ratelimit"], second.headers["ratelimit"]]).toEqual([
      '"2-per-1m";r=1;t=30',
      '"2-per-1m";r=0;t=30',
    ]);
  });

  it("denies with 403, the same headers and no body", async () => {
    const { url } = await serveChecks(perAddress(2));
    await statuses(2, `${url}/check/403`);
    const [plain, forbidden] = [await call(`${url}/check`), await call(`${url}/check/403`)];
    expect(forbidden).toMatchObject({ status: 403, body: "" });
    for (const name of ["ratelimit", "ratelimit-policy", "retry-after", "cache-control"]) {
      expect(plain.headers[name]).toBeTypeOf("string");
      expect(forbidden.headers[name]).toBe(plain.headers[name]);
    }
  });

  it("says 403 also where the limits deny for good, or the store cannot be asked", async () => {
    const limiter = createLimiter({ key: () => "a", limits: () => "deny" as const });
    const { url } = await serveChecks({ limiter });
    expect(await call(`${url}/check`)).toMatchObject({ status: 403, body: '{"error":"forbidden"}' });
    expect(await call(`${url}/check/403`)).toMatchObject({ status: 403, body: "" });
  });
});

describe("a check that is odd", () => {
  it.each(["GET", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "PROPFIND"])(
    "is answered alike with the method %s",
    async (method) => {
      const { url } = await serveChecks(perAddress(1));
      expect(await call(`${url}/check`, { method })).toMatchObject({ status: 200, body: "" });
      expect(await call(`${url}/check`, { method })).toMatchObject({
        status: 429,
        body: expect.stringContaining("retry_after_secs"),
      });
    },
  );

  it("takes no options from the query string", async () => {
    const { url } = await serveChecks(perAddress(1));
    const query = "?cost=0&status=503&method=GET&limit=9&x-forwarded-for=192.0.2.1";
    expect(await statuses(2, `${url}/check${query}`)).toEqual([200, 429]);
  });

  it("is no upgrade, even if the client's handshake is passed on", async () => {
    const { url } = await serveChecks(perAddress(5));
    const headers = { Connection: "Upgrade", Upgrade: "websocket" };
    expect(await call(`${url}/check`, { headers })).toMatchObject({ status: 200, body: "" });
  });

  it("is answered at once if its body is announced and never sent, and its connection ends", async () => {
    const { url } = await serveChecks(perAddress(5));
    for (const announced of ["Content-Length: 5", "Transfer-Encoding: chunked"]) {
      const connection = await openConnection(url);
      connection.send(`POST /check HTTP/1.1\r\nHost: limiter\r\n${announced}\r\n\r\n`);
      await connection.closed;
      expect(connection.received).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*Connection: close\r\n/);
    }
  });

  it("keeps its connection if it has no body", async () => {
    const { url, server } = await serveChecks(perAddress(5));
    let connections = 0;
    server.on("connection", () => {
      connections += 1;
    });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    for (const method of ["GET", "POST", "GET"]) {
      await call(`${url}/check`, { agent, method, headers: { "Content-Length": "0" } });
    }
    expect(connections).toBe(1);
  });
});
