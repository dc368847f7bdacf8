import { combine, createLimiter, perMinute, perSecond } from "tollgate";
import type { HttpFacts } from "tollgate/node";
import { expect } from "vitest";
import { AsyncTwin } from "../../testing/async-twin.ts";
import { AMPLE, bucketOf, HERE, left, manualLimiter, perAddress, type SuiteCase } from "./case.ts";
import { send, statuses } from "./client.ts";

const CONCURRENT = 50;

function atOnce(elsewhere: boolean): SuiteCase {
  return {
    name: `allows exactly 10 of ${CONCURRENT} concurrent requests at capacity 10, the store ${elsewhere ? "elsewhere" : "in this process"}`,
    run: async (start) => {
      const { clock, limiter: here } = manualLimiter([bucketOf(10)]);
      const limiter = elsewhere
        ? createLimiter({ name: "far", key: perAddress, limits: [bucketOf(10)], store: new AsyncTwin(), clock })
        : here;
      const url = await start({ limiter });
      const answers = await Promise.all(Array.from({ length: CONCURRENT }, () => send(`${url}/ok`)));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
      expect(answers.filter(({ status }) => status === 429)).toHaveLength(CONCURRENT - 10);
    },
  };
}

export const DECISION_CASES: readonly SuiteCase[] = [
  {
    name: "allows requests within the limit, denies others, and allows them again later",
    run: async (start) => {
      const { clock, limiter } = manualLimiter([bucketOf(3)]);
      const url = await start({ limiter });
      expect(await statuses(`${url}/ok`, 4)).toEqual([200, 200, 200, 429]);
      clock.advance(2_000);
      expect(await statuses(`${url}/ok`, 3)).toEqual([200, 200, 429]);
    },
  },
  {
    name: "leaves the handler's response unchanged",
    run: async (start) => {
      const url = await start({ limiter: manualLimiter([AMPLE]).limiter });
      const ok = await send(`${url}/ok`);
      expect([ok.status, ok.body]).toEqual([200, "hello"]);
      const teapot = await send(`${url}/status/418`);
      expect([teapot.status, teapot.body]).toEqual([418, "status"]);
    },
  },
  {
    name: "takes a combination of limiters",
    run: async (start) => {
      const { clock, limiter } = manualLimiter([bucketOf(5)]);
      const perPath = createLimiter({
        name: "path",
        key: (facts: HttpFacts) => facts.path,
        limits: [perSecond(2)],
        clock,
      });
      const url = await start({ limiter: combine(limiter, perPath) });
      expect(await statuses(`${url}/ok`, 3)).toEqual([200, 200, 429]);
      expect(await statuses(`${url}/status/200`, 2)).toEqual([200, 200]);
      expect(left(limiter)).toBe(1);
    },
  },
  ...[true, false].map(atOnce),
  {
    name: "takes a fixed cost",
    run: async (start) => {
      const { limiter } = manualLimiter([bucketOf(7)]);
      const url = await start({ limiter, cost: 3 });
      expect(await statuses(`${url}/ok`, 3)).toEqual([200, 200, 429]);
      expect(left(limiter)).toBe(1);
    },
  },
  {
    name: "takes a cost function that returns or resolves to one unit or several",
    run: async (start) => {
      const { limiter } = manualLimiter([bucketOf(10), perMinute(100, { name: "tokens", unit: "tokens" })]);
      const cost = (facts: HttpFacts) =>
        facts.path === "/ok" ? { requests: 1, tokens: 60 } : Promise.resolve({ requests: 2, tokens: 5 });
      const url = await start({ limiter, cost });
      expect(await statuses(`${url}/ok`, 2)).toEqual([200, 429]);
      expect(await statuses(`${url}/status/200`, 1)).toEqual([200]);
      const states = limiter.explain(HERE, 0);
      expect(states.map(({ used }) => used)).toEqual([3, 65]);
    },
  },
  {
    name: "denies a cost above the capacity without a Retry-After header",
    run: async (start) => {
      const url = await start({ limiter: manualLimiter([bucketOf(2)]).limiter, cost: 3 });
      const denied = await send(`${url}/ok`);
      expect(denied.status).toBe(429);
      expect(denied.headers["retry-after"]).toBeUndefined();
      expect(JSON.parse(denied.body)).toEqual({ error: "rate limit exceeded", retry_after_secs: null });
    },
  },
  {
    name: "takes an input function that returns or resolves to the input",
    run: async (start) => {
      const { limiter } = manualLimiter([bucketOf(1)]);
      const as = (facts: HttpFacts, remoteAddress: string): HttpFacts => ({
        method: facts.method,
        path: facts.path,
        remoteAddress,
        header: (name) => facts.header(name),
      });
      const input = (facts: HttpFacts) =>
        facts.path === "/ok" ? as(facts, "one") : Promise.resolve(as(facts, "another"));
      const url = await start({ limiter, input });
      expect(await statuses(`${url}/ok`, 2)).toEqual([200, 429]);
      expect(await statuses(`${url}/status/200`, 2)).toEqual([200, 429]);
    },
  },
  {
    name: "neither counts skipped requests nor adds headers to them",
    run: async (start) => {
      const { limiter } = manualLimiter([bucketOf(1)]);
      const skip = (facts: HttpFacts) => facts.path === "/status/200" || Promise.resolve(facts.path === "/status/201");
      const url = await start({ limiter, skip });
      expect(await statuses(`${url}/status/200`, 3)).toEqual([200, 200, 200]);
      expect(await statuses(`${url}/status/201`, 3)).toEqual([201, 201, 201]);
      expect((await send(`${url}/status/200`)).headers["ratelimit"]).toBeUndefined();
      expect(left(limiter)).toBe(1);
      expect(await statuses(`${url}/ok`, 2)).toEqual([200, 429]);
    },
  },
  {
    name: "allows clients on the allow list uncounted, and refuses clients on the deny list uncounted",
    run: async (start) => {
      const { limiter } = manualLimiter([bucketOf(1)]);
      const allowed = await start({ limiter, allowList: ["127.0.0.0/8", "::1"] });
      expect(await statuses(`${allowed}/ok`, 3)).toEqual([200, 200, 200]);
      const refused = await start({ limiter, denyList: ["127.0.0.0/8", "::1"] });
      const answer = await send(`${refused}/ok`);
      expect([answer.status, answer.body]).toEqual([403, '{"error":"forbidden"}']);
      expect(answer.headers["cache-control"]).toBe("no-store");
      expect(left(limiter)).toBe(1);
    },
  },
  {
    name: "shows the handler the decision, and none for an uncounted request",
    run: async (start) => {
      const { limiter } = manualLimiter([bucketOf(3)]);
      const url = await start({ limiter, skip: (facts) => facts.header("x-skip") === "yes" });
      expect(JSON.parse((await send(`${url}/decision`)).body)).toEqual({
        allowed: true,
        remaining: 2,
        limit: "bucket",
      });
      expect(JSON.parse((await send(`${url}/decision`, { headers: { "x-skip": "yes" } })).body)).toBeNull();
    },
  },
];
