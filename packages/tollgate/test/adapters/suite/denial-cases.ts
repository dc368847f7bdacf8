import { createLimiter, memoryStore, perMinute, tokenBucket } from "tollgate";
import type { HttpFacts } from "tollgate/node";
import { expect } from "vitest";
import { AsyncTwin } from "../../testing/async-twin.ts";
import { bucketOf, manualLimiter, perAddress, type SuiteCase } from "./case.ts";
import { send } from "./client.ts";

const TYPES = "https://iana.org/assignments/http-problem-types";

export const DENIAL_CASES: readonly SuiteCase[] = [
  {
    name: "tells a denied client in JSON when to come back: whole seconds, rounded up",
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
    name: "says nothing of coming back to those that pass",
    run: async (start) => {
      const answer = await send(`${await start({ limiter: manualLimiter([bucketOf(2)]).limiter })}/ok`);
      expect(answer.headers["retry-after"]).toBeUndefined();
      expect(answer.headers["cache-control"]).not.toBe("no-store");
    },
  },
  {
    name: "gives a problem where that is the option, with every violated policy",
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
    name: "gives a problem to those that ask for it by name, unless the option says otherwise",
    run: async (start) => {
      const { limiter } = manualLimiter([bucketOf(1)]);
      const negotiates = await start({ limiter });
      await send(`${negotiates}/ok`);
      const typeFor = async (url: string, accept: string) =>
        (await send(`${url}/ok`, { headers: { accept } })).headers["content-type"];
      expect(await typeFor(negotiates, "text/html, Application/Problem+JSON;q=0.5, */*;q=0.5")).toBe(
        "application/problem+json",
      );
      expect(await typeFor(negotiates, "application/json, application/problem+json;q=0.1")).toBe(
        "application/json; charset=utf-8",
      );
      expect(await typeFor(negotiates, "*/*")).toBe("application/json; charset=utf-8");
      expect(await typeFor(negotiates, "application/problem+json;q=0")).toBe("application/json; charset=utf-8");
      expect(await typeFor(await start({ limiter, denial: "json" }), "application/problem+json")).toBe(
        "application/json; charset=utf-8",
      );
    },
  },
  {
    name: "denies with 503 where that is the option",
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
    name: "says 503 when the store could not be asked and its policy denies",
    run: async (start) => {
      const store = new AsyncTwin();
      const limiter = createLimiter({ name: "far", key: perAddress, limits: [bucketOf(5)], store });
      store.outage = { cause: "gone", policy: "deny" };
      expect((await send(`${await start({ limiter })}/ok`)).status).toBe(503);
    },
  },
  {
    name: "says 503 where the store has no room for the client",
    run: async (start) => {
      const store = memoryStore({ maxKeys: 1, overflow: "deny" });
      const limiter = createLimiter({ name: "full", key: perAddress, limits: [bucketOf(5)], store });
      limiter.allow({ remoteAddress: "192.0.2.1" } as HttpFacts);
      const denied = await send(`${await start({ limiter })}/ok`);
      expect([denied.status, denied.body]).toEqual([503, '{"error":"service unavailable","retry_after_secs":1}']);
    },
  },
  {
    name: "spreads those that come back over the jitter",
    run: async (start) => {
      const { limiter } = manualLimiter([bucketOf(1)]);
      const url = await start({ limiter, retryJitter: 3 });
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
    name: "leaves the answer to onDenied, the fields set",
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
