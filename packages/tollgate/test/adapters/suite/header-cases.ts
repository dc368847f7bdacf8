import { parseRateLimit } from "ratelimit-header-parser";
import { parseList } from "structured-headers";
import { createLimiter, fixedWindow, type Limit, perHour, perMinute, slidingWindow, tokenBucket } from "tollgate";
import type { HttpFacts } from "tollgate/node";
import { manualClock } from "tollgate/testing";
import { expect } from "vitest";
import { bucketOf, manualLimiter, perAddress, START_MS, type SuiteCase } from "./case.ts";
import { type Answer, send } from "./client.ts";

/** A structured list of strings with parameters, as plain data. */
function listOf(value: string | string[] | undefined): [unknown, Record<string, unknown>][] {
  return parseList(String(value)).map(([item, parameters]) => [item, Object.fromEntries(parameters)]);
}

/** The RateLimit headers of an answer, by name. */
function limitHeadersOf({ headers }: Answer): Record<string, unknown> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name.includes("ratelimit")));
}

const MIXED: readonly Limit[] = [
  tokenBucket({ name: "burst", capacity: 10, refill: 3, per: "1s" }),
  slidingWindow({ name: "sliding", limit: 50, window: "1m" }),
  fixedWindow({ name: "fixed", limit: 40, window: "2h", unit: "tokens" }),
  perMinute(1, { name: "watched", mode: "shadow" }),
];

export const HEADER_CASES: readonly SuiteCase[] = [
  {
    name: "sends the headers of drafts 08 to 10 as those of draft 11",
    run: async (start) => {
      for (const headers of ["draft-8", "draft-9", ["draft-10", "draft-11"]] as const) {
        const answer = await send(`${await start({ limiter: manualLimiter([bucketOf(9)]).limiter, headers })}/ok`);
        expect([answer.headers["ratelimit-policy"], answer.headers["ratelimit"]]).toEqual([
          '"bucket";q=9;w=9',
          '"bucket";r=8;t=1',
        ]);
      }
    },
  },
  {
    name: "sends draft-11 headers by default",
    run: async (start) => {
      const { clock, limiter } = manualLimiter([tokenBucket({ name: "a", capacity: 10, refill: 1, per: "6s" })]);
      const url = await start({ limiter });
      const first = await send(`${url}/ok`);
      expect(limitHeadersOf(first)).toEqual({ "ratelimit-policy": '"a";q=10;w=60', ratelimit: '"a";r=9;t=6' });
      clock.advance(900);
      expect(limitHeadersOf(await send(`${url}/ok`))["ratelimit"]).toBe('"a";r=8;t=12');
    },
  },
  {
    name: "lists all enforcing limits and tells the state of the binding one",
    run: async (start) => {
      const { limiter } = manualLimiter(MIXED);
      const url = await start({ limiter, cost: { requests: 1, tokens: 30 } });
      const answer = await send(`${url}/ok`);
      expect(listOf(answer.headers["ratelimit-policy"])).toEqual([
        ["burst", { q: 10, w: 4 }],
        ["sliding", { q: 50, w: 60 }],
        ["fixed", { q: 40, w: 7_200, qu: "tokens" }],
      ]);
      const [[name, standing] = ["", {}]] = listOf(answer.headers["ratelimit"]);
      expect([name, standing["r"]]).toEqual(["fixed", 10]);
      expect(standing["t"]).toBeGreaterThan(0);
    },
  },
  {
    name: "tells a denied client the limit with the longest wait, and the same time in Retry-After",
    run: async (start) => {
      const { limiter } = manualLimiter([bucketOf(1), perHour(1, { name: "hourly" })]);
      const url = await start({ limiter });
      await send(`${url}/ok`);
      const denied = await send(`${url}/ok`);
      expect(denied.headers["ratelimit"]).toBe('"hourly";r=0;t=3600');
      expect(denied.headers["retry-after"]).toBe("3600");
    },
  },
  {
    name: "tells what is left under the binding limit, not the least remainder of all limits",
    run: async (start) => {
      const { clock, limiter } = manualLimiter([bucketOf(10), perHour(1_000, { name: "hourly" })]);
      limiter.charge({ remoteAddress: "127.0.0.1" } as HttpFacts, 700);
      clock.advance(1_000_000);
      const answer = await send(`${await start({ limiter })}/ok`);
      expect(answer.headers["ratelimit"]).toBe('"hourly";r=576;t=1524');
    },
  },
  {
    name: "tells a client with nothing left when the same request would pass, not when the limit is idle",
    run: async (start) => {
      const { limiter } = manualLimiter([perMinute(2, { name: "two" })]);
      const url = await start({ limiter });
      expect((await send(`${url}/ok`)).headers["ratelimit"]).toBe('"two";r=1;t=30');
      expect((await send(`${url}/ok`)).headers["ratelimit"]).toBe('"two";r=0;t=30');
      expect((await send(`${url}/ok`)).headers["ratelimit"]).toBe('"two";r=0;t=30');
    },
  },
  {
    name: "names the partition if partitionKey gives one",
    run: async (start) => {
      const limits = [bucketOf(2), perHour(9, { name: "nine, per hour" })];
      const url = await start({ limiter: manualLimiter(limits).limiter, partitionKey: () => "Zoë / 1" });
      const answer = await send(`${url}/ok`);
      const pk = new TextEncoder().encode("Zoë / 1");
      expect(listOf(answer.headers["ratelimit-policy"])).toHaveLength(2);
      for (const name of ["ratelimit-policy", "ratelimit"]) {
        for (const [, parameters] of listOf(answer.headers[name])) {
          expect(new Uint8Array(parameters["pk"] as ArrayBuffer)).toEqual(pk);
        }
      }
    },
  },
  {
    name: "names no partition if partitionKey gives none, and a partition of the greatest length whole",
    run: async (start) => {
      const partitionKey = ({ path }: HttpFacts) => (path === "/ok" ? undefined : "é".repeat(256));
      const url = await start({ limiter: manualLimiter([bucketOf(2)]).limiter, partitionKey });
      expect((await send(`${url}/ok`)).headers["ratelimit"]).toBe('"bucket";r=1;t=1');
      const [standing] = listOf((await send(`${url}/status/201`)).headers["ratelimit"]);
      expect(new TextDecoder().decode(standing?.[1]["pk"] as ArrayBuffer)).toBe("é".repeat(256));
    },
  },
  {
    name: "caps numbers at the largest integer of a structured header",
    run: async (start) => {
      const limits = [fixedWindow({ name: "huge", limit: Number.MAX_SAFE_INTEGER, window: "1h" })];
      const answer = await send(`${await start({ limiter: manualLimiter(limits).limiter })}/ok`);
      expect(listOf(answer.headers["ratelimit-policy"])).toEqual([["huge", { q: 999_999_999_999_999, w: 3_600 }]]);
      expect(listOf(answer.headers["ratelimit"])[0]?.[1]["r"]).toBe(999_999_999_999_999);
    },
  },
  {
    name: "sends the headers of draft-7",
    run: async (start) => {
      const { limiter } = manualLimiter([tokenBucket({ capacity: 10, refill: 1, per: "6s" }), perHour(100)]);
      const answer = await send(`${await start({ limiter, headers: "draft-7" })}/ok`);
      expect(limitHeadersOf(answer)).toEqual({
        "ratelimit-policy": "10;w=60, 100;w=3600",
        ratelimit: "limit=10, remaining=9, reset=6",
      });
      expect(parseRateLimit(answer.headers)).toMatchObject({ limit: 10, remaining: 9 });
    },
  },
  {
    name: "sends the headers of draft-6",
    run: async (start) => {
      const { limiter } = manualLimiter([tokenBucket({ capacity: 10, refill: 1, per: "6s" })]);
      const answer = await send(`${await start({ limiter, headers: "draft-6" })}/ok`);
      expect(limitHeadersOf(answer)).toEqual({
        "ratelimit-policy": "10;w=60",
        "ratelimit-limit": "10",
        "ratelimit-remaining": "9",
        "ratelimit-reset": "6",
      });
      expect(parseRateLimit(answer.headers)).toMatchObject({ limit: 10, remaining: 9 });
    },
  },
  {
    name: "sends legacy headers with the reset in seconds since the epoch",
    run: async (start) => {
      const { limiter } = manualLimiter([tokenBucket({ capacity: 10, refill: 1, per: "6s" })]);
      const answer = await send(`${await start({ limiter, headers: "legacy" })}/ok`);
      const resetSeconds = Math.ceil((START_MS + 6_000) / 1000);
      expect(limitHeadersOf(answer)).toEqual({
        "x-ratelimit-limit": "10",
        "x-ratelimit-remaining": "9",
        "x-ratelimit-reset": String(resetSeconds),
      });
      const parsed = parseRateLimit(answer.headers, { reset: "unix" });
      expect(parsed).toMatchObject({ limit: 10, remaining: 9, reset: new Date(1_000 * resetSeconds) });
    },
  },
  {
    name: "sends several forms at once, and the newest form's header where two have the same name",
    run: async (start) => {
      const { limiter } = manualLimiter([tokenBucket({ name: "a", capacity: 10, refill: 1, per: "6s" })]);
      const answer = await send(`${await start({ limiter, headers: ["legacy", "draft-6", "draft-11"] })}/ok`);
      expect(Object.keys(limitHeadersOf(answer)).sort()).toEqual([
        "ratelimit",
        "ratelimit-limit",
        "ratelimit-policy",
        "ratelimit-remaining",
        "ratelimit-reset",
        "x-ratelimit-limit",
        "x-ratelimit-remaining",
        "x-ratelimit-reset",
      ]);
      expect(answer.headers["ratelimit-policy"]).toBe('"a";q=10;w=60');
    },
  },
  {
    name: "sends only Retry-After if headers is false",
    run: async (start) => {
      const url = await start({ limiter: manualLimiter([bucketOf(1)]).limiter, headers: false });
      expect(limitHeadersOf(await send(`${url}/ok`))).toEqual({});
      const denied = await send(`${url}/ok`);
      expect(limitHeadersOf(denied)).toEqual({});
      expect([denied.status, denied.headers["retry-after"]]).toEqual([429, "1"]);
    },
  },
  {
    name: "sends no headers if no limit applies",
    run: async (start) => {
      const clock = manualClock(START_MS);
      const limits = (facts: HttpFacts) => (facts.path === "/ok" ? [] : [bucketOf(1)]);
      const url = await start({ limiter: createLimiter({ key: perAddress, limits, clock }) });
      expect(limitHeadersOf(await send(`${url}/ok`))).toEqual({});
      expect(limitHeadersOf(await send(`${url}/status/200`))["ratelimit"]).toBe('"bucket";r=0;t=1');
    },
  },
  {
    name: "exposes the headers to scripts of other origins if the option says so",
    run: async (start) => {
      const { limiter } = manualLimiter([bucketOf(1)]);
      const url = await start({ limiter, exposeHeaders: true });
      for (const status of [200, 429]) {
        const answer = await send(`${url}/ok`);
        expect(answer.status).toBe(status);
        expect(answer.headers["access-control-expose-headers"]).toBe("RateLimit-Policy, RateLimit, Retry-After");
      }
      expect((await send(`${await start({ limiter })}/ok`)).headers["access-control-expose-headers"]).toBeUndefined();
    },
  },
];
