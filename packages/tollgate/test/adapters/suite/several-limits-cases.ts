import { fixedWindow, perMinute } from "tollgate";
import { expect } from "vitest";
import { bucketOf, manualLimiter, type SuiteCase } from "./case.ts";
import { send } from "./client.ts";
import type { SuiteOptions } from "./harness.ts";

const HOURLY = fixedWindow({ name: "hourly", limit: 2, window: "1h", anchor: "first-use" });
const PER_MINUTE = perMinute(60, { name: "per minute", unit: "tokens" });

function limitBy(limit: Parameters<typeof manualLimiter>[0][number], options: Partial<SuiteOptions> = {}) {
  return { limiter: manualLimiter([limit]).limiter, ...options };
}

/** Several limiters in a row: what the response tells of all of them. */
export const SEVERAL_LIMITS_CASES: readonly SuiteCase[] = [
  {
    name: "lists the policies of several limiters in the order in which they were asked, and the tightest state",
    run: async (start) => {
      const url = await start({
        ...limitBy(bucketOf(3)),
        inner: { ...limitBy(PER_MINUTE), inner: limitBy(bucketOf(9), { partitionKey: () => "p" }) },
      });
      const answer = await send(`${url}/ok`);
      expect(answer.headers["ratelimit-policy"]).toBe(
        '"bucket";q=3;w=3, "per minute";q=60;w=60;qu="tokens", "bucket";q=9;w=9;pk=:cA==:',
      );
      expect(answer.headers["ratelimit"]).toBe('"bucket";r=2;t=1');
      const other = await send(
        `${await start({ ...limitBy(bucketOf(9)), inner: limitBy(bucketOf(3), { partitionKey: () => "p" }) })}/ok`,
      );
      expect(other.headers["ratelimit"]).toBe('"bucket";r=2;t=1;pk=:cA==:');
    },
  },
  {
    name: "tells a denied client the longest wait of several limiters",
    run: async (start) => {
      const url = await start({ ...limitBy(HOURLY), inner: limitBy(bucketOf(1)) });
      expect((await send(`${url}/ok`)).headers["ratelimit"]).toBe('"bucket";r=0;t=1');
      // The first limiter has counted this request, and will deny others for an hour.
      const denied = await send(`${url}/ok`);
      expect([denied.status, denied.headers["retry-after"], denied.headers["ratelimit"]]).toEqual([
        429,
        "3600",
        '"hourly";r=0;t=3600',
      ]);
      expect(JSON.parse(denied.body)).toEqual({ error: "rate limit exceeded", retry_after_secs: 3600 });
      expect(denied.headers["ratelimit-policy"]).toBe('"hourly";q=2;w=3600, "bucket";q=1;w=1');
      // The first one denies: the second is not asked.
      const deniedFirst = await send(`${url}/ok`);
      expect([deniedFirst.headers["retry-after"], deniedFirst.headers["ratelimit-policy"]]).toEqual([
        "3600",
        '"hourly";q=2;w=3600',
      ]);
    },
  },
  {
    name: "tells the tightest state of several limiters in the older forms",
    run: async (start) => {
      for (const [headers, told] of [
        ["draft-7", { "ratelimit-policy": "9;w=9, 3;w=3", ratelimit: "limit=3, remaining=2, reset=1" }],
        ["draft-6", { "ratelimit-policy": "9;w=9, 3;w=3", "ratelimit-limit": "3", "ratelimit-remaining": "2" }],
        ["legacy", { "x-ratelimit-limit": "3", "x-ratelimit-remaining": "2", "x-ratelimit-reset": "1790000002" }],
      ] as const) {
        for (const [outer, inner] of [
          [9, 3],
          [3, 9],
        ] as const) {
          const url = await start({
            ...limitBy(bucketOf(outer), { headers }),
            inner: limitBy(bucketOf(inner), { headers }),
          });
          const policy =
            "ratelimit-policy" in told ? { "ratelimit-policy": `${outer};w=${outer}, ${inner};w=${inner}` } : {};
          expect((await send(`${url}/ok`)).headers).toMatchObject({ ...told, ...policy });
        }
      }
    },
  },
  {
    name: "tells all policies of several limiters in the forms of each",
    run: async (start) => {
      const url = await start({
        ...limitBy(bucketOf(9), { headers: "draft-8" }),
        inner: limitBy(bucketOf(1), { headers: "legacy" }),
      });
      for (const status of [200, 429]) {
        const { headers, ...answer } = await send(`${url}/ok`);
        expect(answer.status).toBe(status);
        expect(headers["ratelimit-policy"]).toBe('"bucket";q=9;w=9, "bucket";q=1;w=1');
        expect(headers["ratelimit"]).toBe('"bucket";r=0;t=1');
        expect([headers["x-ratelimit-limit"], headers["x-ratelimit-remaining"]]).toEqual(["1", "0"]);
      }
    },
  },
  {
    name: "says nothing of a limiter with headers: false among several, except its wait",
    run: async (start) => {
      for (const inner of [limitBy(HOURLY, { headers: false }), limitBy(bucketOf(5))]) {
        const outer = inner.headers === false ? limitBy(bucketOf(5)) : limitBy(HOURLY, { headers: false });
        const url = await start({ ...outer, inner });
        for (let i = 0; i < 3; i += 1) {
          const { headers, status } = await send(`${url}/ok`);
          expect([status, headers["retry-after"]]).toEqual(i < 2 ? [200, undefined] : [429, "3600"]);
          if (status === 200) expect(headers["ratelimit-policy"]).toBe('"bucket";q=5;w=5');
          if (status === 200) expect(headers["ratelimit"]).toBe(`"bucket";r=${4 - i};t=${i + 1}`);
        }
      }
    },
  },
];
