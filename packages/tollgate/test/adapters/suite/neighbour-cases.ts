import type { IncomingMessage, ServerResponse } from "node:http";
import { createLimiter, fixedWindow, perMinute } from "tollgate";
import { clientIp } from "tollgate/node";
import { expect } from "vitest";
import { bucketOf, manualLimiter, type SuiteCase } from "./case.ts";
import { send } from "./client.ts";
import type { SuiteOptions } from "./harness.ts";

const DRAFT_11 = ["RateLimit-Policy", "RateLimit", "Retry-After"];
const LEGACY = ["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"];

/** A limiter among others: a second limiter, other code of the server, and the framework's own settings. */
export const NEIGHBOUR_CASES: readonly SuiteCase[] = [
  {
    name: "shows the decision of the last of two limiters that counted, and the headers of both",
    run: async (start) => {
      const { limiter } = manualLimiter([bucketOf(9)]);
      const second = manualLimiter([fixedWindow({ name: "second", limit: 1, window: "1h" })]).limiter;
      const skip: SuiteOptions["skip"] = (facts) => facts.header("x-skip") === "yes";
      const url = await start({ limiter, inner: { limiter: second, skip } });
      const both = await send(`${url}/decision`);
      expect(JSON.parse(both.body)).toEqual({ allowed: true, remaining: 0, limit: "second" });
      expect(both.headers["ratelimit-policy"]).toBe('"bucket";q=9;w=9, "second";q=1;w=3600');
      const first = await send(`${url}/decision`, { headers: { "x-skip": "yes" } });
      expect(JSON.parse(first.body)).toEqual({ allowed: true, remaining: 7, limit: "bucket" });
      expect(first.headers["ratelimit"]).toBe('"bucket";r=7;t=2');
      const denied = await send(`${url}/decision`);
      expect([denied.status, denied.headers["ratelimit-policy"]]).toEqual([
        429,
        '"bucket";q=9;w=9, "second";q=1;w=3600',
      ]);
    },
  },
  {
    name: "exposes the headers of two limiters once",
    run: async (start) => {
      for (const [headers, names] of [
        ["draft-11", DRAFT_11],
        ["legacy", [...DRAFT_11, ...LEGACY]],
      ] as const) {
        const inner: SuiteOptions = { limiter: manualLimiter([bucketOf(1)]).limiter, exposeHeaders: true, headers };
        const url = await start({ limiter: manualLimiter([bucketOf(9)]).limiter, exposeHeaders: true, inner });
        for (const status of [200, 429]) {
          const answer = await send(`${url}/ok`);
          expect(answer.status).toBe(status);
          expect(answer.headers["access-control-expose-headers"]?.split(", ").sort()).toEqual([...names].sort());
        }
      }
    },
  },
  {
    name: "ignores the framework's own trust in proxies",
    run: async (start) => {
      const limiter = createLimiter({ key: clientIp({ warnings: false }), limits: [perMinute(1)] });
      const url = await start({ limiter, frameworkTrustsProxies: true });
      const statusOf = async (address: string) =>
        (await send(`${url}/ok`, { headers: { "x-forwarded-for": address } })).status;
      expect([await statusOf("203.0.113.1"), await statusOf("203.0.113.2")]).toEqual([200, 429]);
    },
  },
  {
    name: "refuses a wrong option when the limit is made",
    run: async (start) => {
      const { limiter } = manualLimiter([bucketOf(1)]);
      for (const [options, message] of [
        [{ status: 418 }, "status: expected one of 429, 503, got 418"],
        [{ limiter: undefined }, "limiter: expected one made by createLimiter or combine, got undefined"],
        [{ allow: ["::1"] }, 'rateLimit: unknown option "allow"; did you mean "allowList"?'],
      ] as const) {
        const started = start({ limiter, ...options } as SuiteOptions);
        await expect(started).rejects.toMatchObject({ code: "ERR_OPTION", message });
      }
    },
  },
  {
    name: "leaves a response alone that other code has begun while the limiter waited",
    run: async (start) => {
      for (const customDenial of [false, true]) {
        const meanwhile = ({ url }: IncomingMessage, response: ServerResponse) => {
          if (url !== "/ok?begun") return;
          response.writeHead(202).write("begun ");
          setTimeout(() => response.end("and done"), 20);
        };
        const { limiter } = manualLimiter([bucketOf(1)]);
        const url = await start({ limiter, input: async (facts) => facts, customDenial, meanwhile });
        await send(`${url}/ok`);
        const answer = await send(`${url}/ok?begun`);
        expect([answer.status, answer.body, answer.headers["x-denied"]]).toEqual([202, "begun and done", undefined]);
      }
    },
  },
];
