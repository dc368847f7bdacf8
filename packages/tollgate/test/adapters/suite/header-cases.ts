import { createLimiter } from "tollgate";
import type { HttpFacts } from "tollgate/node";
import { manualClock } from "tollgate/testing";
import { expect } from "vitest";
import { START_MS } from "../../start-ms.ts";
import { bucketOf, manualLimiter, perAddress, type SuiteCase } from "./case.ts";
import { type Answer, send } from "./client.ts";

/** The RateLimit headers of an answer, by name. */
function limitHeadersOf({ headers }: Answer): Record<string, unknown> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name.includes("ratelimit")));
}

/** That the headers are sent. `http/forms` has what they tell. */
export const HEADER_CASES: readonly SuiteCase[] = [
  {
    name: "sends the headers of every form to allowed and to denied clients",
    run: async (start) => {
      const { limiter } = manualLimiter([bucketOf(1)]);
      const url = await start({ limiter, headers: ["legacy", "draft-6", "draft-11"] });
      const told = {
        "ratelimit-policy": '"bucket";q=1;w=1',
        ratelimit: '"bucket";r=0;t=1',
        "ratelimit-limit": "1",
        "ratelimit-remaining": "0",
        "ratelimit-reset": "1",
        "x-ratelimit-limit": "1",
        "x-ratelimit-remaining": "0",
        "x-ratelimit-reset": String(Math.ceil((START_MS + 1_000) / 1_000)),
      };
      const allowed = await send(`${url}/ok`);
      expect([allowed.status, allowed.headers["retry-after"], limitHeadersOf(allowed)]).toEqual([200, undefined, told]);
      const denied = await send(`${url}/ok`);
      expect([denied.status, denied.headers["retry-after"], limitHeadersOf(denied)]).toEqual([429, "1", told]);
    },
  },
  {
    name: "names the partition if partitionKey gives one",
    run: async (start) => {
      const partitionKey = ({ path }: HttpFacts) => (path === "/ok" ? undefined : path);
      const url = await start({ limiter: manualLimiter([bucketOf(2)]).limiter, partitionKey });
      expect((await send(`${url}/ok`)).headers["ratelimit"]).toBe('"bucket";r=1;t=1');
      expect((await send(`${url}/status/201`)).headers["ratelimit"]).toBe(
        `"bucket";r=0;t=1;pk=:${btoa("/status/201")}:`,
      );
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
