import { type ChosenLimits, createLimiter, memoryStore, perMinute, tokenBucket } from "tollgate";
import type { HttpFacts } from "tollgate/node";
import { expect } from "vitest";
import { AsyncTwin } from "../../testing/async-twin.ts";
import { bucketOf, HERE, manualLimiter, perAddress, type SuiteCase } from "./case.ts";
import { send, statuses } from "./client.ts";

const TYPES = "https://iana.org/assignments/http-problem-types";

export const DENIAL_CASES: readonly SuiteCase[] = [
  {
    name: "tells a denied client in JSON how many whole seconds to wait, rounded up",
    run: async (start) => {
      const { clock, limiter } = manualLimiter([tokenBucket({ capacity: 1, refill: 1, per: "90s" })]);
      const url = await start({ limiter });
      await send(`${url}/ok`);
      for (const [advanceMs, seconds] of [
        [0, 90],
        [1, 90],
        [998, 90],
        [1, 89],
        [88_999.999, 1],
      ] as const) {
        clock.advance(advanceMs);
        const denied = await send(`${url}/ok`);
        expect(denied.status).toBe(429);
        expect(denied.headers["retry-after"]).toBe(String(seconds));
        expect(denied.headers["content-type"]).toBe("application/json; charset=utf-8");
        expect(denied.headers["cache-control"]).toBe("no-store");
        expect(denied.headers["content-length"]).toBe(String(denied.body.length));
        expect(denied.body).toBe(`{"error":"rate limit exceeded","retry_after_secs":${seconds}}`);
      }
    },
  },
  {
    name: "answers with a problem that names every violated policy if the option says so",
    run: async (start) => {
      const limits = [perMinute(1, { name: "one" }), perMinute(5, { name: "five" }), perMinute(1, { name: "other" })];
      const url = await start({ limiter: manualLimiter(limits).limiter, denial: "problem" });
      await send(`${url}/ok`);
      const denied = await send(`${url}/ok`);
      expect(denied.status).toBe(429);
      expect(denied.headers["content-type"]).toBe("application/problem+json");
      expect(denied.headers["cache-control"]).toBe("no-store");
      expect(JSON.parse(denied.body)).toEqual({
        type: `${TYPES}#quota-exceeded`,
        title: "Quota Exceeded",
        status: 429,
        "violated-policies": ["one", "other"],
      });
    },
  },
  {
    name: "denies with 503 if the option says so",
    run: async (start) => {
      const { limiter } = manualLimiter([bucketOf(1)]);
      const url = await start({ limiter, status: 503 });
      await send(`${url}/ok`);
      const denied = await send(`${url}/ok`, { headers: { accept: "application/problem+json" } });
      expect(denied.status).toBe(503);
      expect(denied.headers["retry-after"]).toBe("1");
      expect(JSON.parse(denied.body)).toMatchObject({ type: `${TYPES}#temporary-reduced-capacity`, status: 503 });
    },
  },
  {
    name: "answers with failureStatus where the store was unavailable, and for failures under onError: deny",
    run: async (start) => {
      const store = new AsyncTwin();
      const limiter = createLimiter({ name: "far", key: perAddress, limits: [bucketOf(1)], store });
      const url = await start({ limiter, failureStatus: 429, status: 503 });
      expect(await statuses(`${url}/ok`, 2)).toEqual([200, 503]);
      store.outage = { cause: "timed out", policy: "deny" };
      const unavailable = { error: "service unavailable" };
      const denied = await send(`${url}/ok`);
      expect([denied.status, JSON.parse(denied.body)]).toEqual([429, { ...unavailable, retry_after_secs: 1 }]);
      expect((await send(`${await start({ limiter })}/ok`)).status).toBe(503);
      const problem = await send(`${url}/ok`, { headers: { accept: "application/problem+json" } });
      const type = `${TYPES}#temporary-reduced-capacity`;
      expect([problem.status, JSON.parse(problem.body)]).toMatchObject([429, { type, status: 429 }]);
      const input = () => Promise.reject(new Error("secret"));
      const failing = await start({ limiter, input, failureStatus: 500, onError: "deny", logError: () => {} });
      const failed = await send(`${failing}/ok`);
      expect([failed.status, JSON.parse(failed.body)]).toEqual([500, unavailable]);
    },
  },
  {
    name: "answers 403 where a limits function denies, and sends no headers where it says unlimited",
    run: async (start) => {
      let limits: ChosenLimits = "deny";
      const url = await start({ limiter: createLimiter({ key: perAddress, limits: () => limits }), status: 503 });
      const denied = await send(`${url}/ok`);
      expect([denied.status, denied.body]).toEqual([403, '{"error":"forbidden"}']);
      expect([denied.headers["retry-after"], denied.headers["ratelimit"]]).toEqual([undefined, undefined]);
      const problem = await send(`${url}/ok`, { headers: { accept: "application/problem+json" } });
      const forbidden = { type: "about:blank", title: "Forbidden", status: 403 };
      expect([problem.status, JSON.parse(problem.body)]).toEqual([403, forbidden]);
      limits = "unlimited";
      const passed = await send(`${url}/ok`);
      expect([passed.status, passed.headers["ratelimit"]]).toEqual([200, undefined]);
    },
  },
  {
    name: "answers a blocked client with 429, and tells it when the block ends but not why it began",
    run: async (start) => {
      const { clock, limiter } = manualLimiter([bucketOf(5)]);
      const url = await start({ limiter, status: 503 });
      limiter.block(HERE, "10m", { reason: "scraping" });
      clock.advance(500);
      const denied = await send(`${url}/ok`);
      expect([denied.status, denied.headers["retry-after"], denied.headers["ratelimit"]]).toEqual([
        429,
        "600",
        '"bucket";r=0;t=600',
      ]);
      expect(denied.body).toBe('{"error":"blocked","retry_after_secs":600}');
      const problem = await send(`${url}/ok`, { headers: { accept: "application/problem+json" } });
      expect([problem.status, JSON.parse(problem.body)]).toEqual([
        429,
        {
          type: `${TYPES}#abnormal-usage-detected`,
          title: "Abnormal Usage Detected",
          status: 429,
          "violated-policies": [],
        },
      ]);
      clock.advance(599_500);
      expect((await send(`${url}/ok`)).status).toBe(200);
    },
  },
  {
    name: "answers 503 if the store is full",
    run: async (start) => {
      const store = memoryStore({ maxKeys: 1, overflow: "deny" });
      const limiter = createLimiter({ name: "full", key: perAddress, limits: [bucketOf(5)], store });
      limiter.allow({ remoteAddress: "192.0.2.1" } as HttpFacts);
      const denied = await send(`${await start({ limiter })}/ok`);
      expect([denied.status, denied.body]).toEqual([503, '{"error":"service unavailable","retry_after_secs":1}']);
    },
  },
  {
    name: "adds a random part of the jitter to Retry-After",
    run: async (start) => {
      const { limiter } = manualLimiter([bucketOf(1)]);
      const url = await start({ limiter, retryJitter: "3s" });
      await send(`${url}/ok`);
      const seen = new Set<string | undefined>();
      for (let i = 0; i < 60; i += 1) {
        const { headers, body } = await send(`${url}/ok`);
        seen.add(headers["retry-after"]);
        expect(body).toBe(`{"error":"rate limit exceeded","retry_after_secs":${headers["retry-after"]}}`);
      }
      expect(seen).toEqual(new Set(["1", "2", "3", "4"]));
    },
  },
  {
    name: "lets onDenied answer, with the headers set",
    run: async (start) => {
      const { limiter } = manualLimiter([bucketOf(1)]);
      const url = await start({ limiter, customDenial: true });
      expect((await send(`${url}/ok`)).status).toBe(200);
      const denied = await send(`${url}/ok`);
      expect([denied.status, denied.headers["x-denied"], denied.body]).toEqual([418, "bucket", "custom"]);
      expect(denied.headers["retry-after"]).toBe("1");
      expect(denied.headers["cache-control"]).toBe("no-store");
      expect(denied.headers["ratelimit"]).toBe('"bucket";r=0;t=1');
    },
  },
];
