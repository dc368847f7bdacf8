import { concurrency, createLimiter, type Limiter, perMinute } from "tollgate";
import type { HttpFacts } from "tollgate/node";
import { manualClock } from "tollgate/testing";
import { expect } from "vitest";
import { START_MS } from "../../start-ms.ts";
import { AsyncTwin } from "../../testing/async-twin.ts";
import { bucketOf, HERE, manualLimiter, perAddress, type SuiteCase, slowHandlers } from "./case.ts";
import { breakOff, get, leave, send } from "./client.ts";
import { until } from "./until.ts";

const TTL_MS = 60_000;

function atMost(max: number) {
  return concurrency({ name: "streams", max, ttl: TTL_MS });
}

/** Places of the client on this machine that are in use. */
function inUse(limiter: Limiter<HttpFacts>): number {
  return limiter.explain(HERE, 0).find(({ name }) => name === "streams")!.used;
}

const FLOOD = 40;

/** Places that requests take, and when they are freed. */
export const PLACES_CASES: readonly SuiteCase[] = [
  {
    name: "lets exactly as many requests at once through as there are places",
    run: async (start) => {
      const { limiter } = manualLimiter([atMost(3)]);
      const { answers, login } = slowHandlers();
      const url = await start({ limiter, login });
      const all = Array.from({ length: 4 }, () => send(`${url}/login`));
      const denied = await Promise.race(all);
      expect([denied.status, denied.headers["retry-after"]]).toEqual([429, "60"]);
      expect(denied.headers["ratelimit-policy"]).toBe('"streams";q=3;qu="concurrent-requests"');
      expect(denied.headers["ratelimit"]).toBe('"streams";r=0');
      await until(() => answers.length === 3, "the others are handled");
      expect(inUse(limiter)).toBe(3);
      answers[0]?.(200);
      await until(() => inUse(limiter) === 2, "one has ended");
      const next = send(`${url}/login`);
      await until(() => answers.length === 4, "the next is handled");
      for (const answer of answers) answer(200);
      const statuses = (await Promise.all([...all, next])).map(({ status }) => status);
      expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 200, 200, 200, 429]);
      await until(() => inUse(limiter) === 0, "all have ended");
    },
  },
  {
    name: "holds the place of a response until its last byte",
    run: async (start) => {
      const { limiter } = manualLimiter([atMost(1)]);
      const url = await start({ limiter });
      const answer = send(`${url}/stream/50`);
      await until(() => inUse(limiter) === 1, "it has begun");
      expect((await send(`${url}/ok`)).status).toBe(429);
      expect((await answer).body).toHaveLength(50_000);
      await until(() => inUse(limiter) === 0, "it has ended");
    },
  },
  {
    name: "has no place in use after a flood of requests that are broken off",
    run: async (start) => {
      const { limiter } = manualLimiter([atMost(FLOOD)]);
      const url = await start({ limiter });
      await Promise.all(
        Array.from({ length: FLOOD }, (_, i) =>
          breakOff(`${url}${["/stream/2000", "/hang", "/bytes/100000"][i % 3]}`, i % 2 === 0 ? 15 : i),
        ),
      );
      await until(() => inUse(limiter) === 0, "all are freed");
      expect((await send(`${url}/ok`)).status).toBe(200);
    },
  },
  {
    name: "frees the places of pipelined requests whose client breaks off",
    run: async (start) => {
      const { limiter } = manualLimiter([atMost(20)]);
      const url = await start({ limiter });
      await leave(url, get("/stream/500").repeat(5), "first bytes");
      await until(() => inUse(limiter) === 0, "all are freed");
    },
  },
  {
    name: "frees the place of a request whose handler failed",
    run: async (start) => {
      const { limiter } = manualLimiter([atMost(1)]);
      const url = await start({ limiter });
      for (let i = 0; i < 2; i += 1) {
        expect((await send(`${url}/throw`)).status).toBe(500);
        await until(() => inUse(limiter) === 0, "it is freed");
      }
    },
  },
  {
    name: "frees the places of responses without a body",
    run: async (start) => {
      const { limiter } = manualLimiter([atMost(1)]);
      const url = await start({ limiter });
      for (const [path, method, status] of [
        ["/bytes/5000", "HEAD", 200],
        ["/status/204", "GET", 204],
        ["/status/204", "HEAD", 204],
      ] as const) {
        expect((await send(url + path, { method })).status).toBe(status);
        await until(() => inUse(limiter) === 0, "it is freed");
      }
    },
  },
  {
    name: "frees the place of a request that a later limiter denied",
    run: async (start) => {
      const { limiter } = manualLimiter([atMost(1)]);
      const url = await start({ limiter, inner: { limiter: manualLimiter([bucketOf(1)]).limiter } });
      for (const status of [200, 429, 429]) {
        expect((await send(`${url}/ok`)).status).toBe(status);
        await until(() => inUse(limiter) === 0, "it is freed");
      }
    },
  },
  {
    name: "holds the places of both limiters of a request",
    run: async (start) => {
      const outer = manualLimiter([atMost(2)]).limiter;
      const inner = manualLimiter([atMost(1)]).limiter;
      const { answers, login } = slowHandlers();
      const url = await start({ limiter: outer, inner: { limiter: inner }, login });
      const first = send(`${url}/login`);
      await until(() => answers.length === 1, "it is handled");
      expect([inUse(outer), inUse(inner)]).toEqual([1, 1]);
      expect((await send(`${url}/ok`)).status).toBe(429);
      await until(() => inUse(outer) === 1, "the denied one is freed");
      answers[0]?.(200);
      await first;
      await until(() => inUse(outer) + inUse(inner) === 0, "both are freed");
    },
  },
  {
    name: "keeps the place of a response that takes longer than the time to live",
    run: async (start) => {
      const { clock, limiter } = manualLimiter([atMost(1)]);
      const { answers, login } = slowHandlers();
      const url = await start({ limiter, login });
      const answer = send(`${url}/login`);
      await until(() => answers.length === 1, "it is handled");
      clock.advance(10 * TTL_MS);
      expect((await send(`${url}/ok`)).status).toBe(429);
      answers[0]?.(200);
      expect((await answer).status).toBe(200);
      await until(() => inUse(limiter) === 0, "it has ended");
      // No renewal is left.
      clock.advance(10 * TTL_MS);
      expect([inUse(limiter), (await send(`${url}/ok`)).status]).toEqual([0, 200]);
    },
  },
  {
    name: "logs a place that freed itself while its response was under way",
    run: async (start) => {
      const { clock, limiter } = manualLimiter([atMost(1)]);
      const logged: unknown[] = [];
      const { answers, login } = slowHandlers();
      const url = await start({ limiter, login, logError: (error) => logged.push(error) });
      const answer = send(`${url}/login`);
      await until(() => answers.length === 1, "it is handled");
      // The process slept.
      clock.set(clock.now() + 2 * TTL_MS);
      expect(String(logged[0])).toMatch(/lost|freed itself/);
      expect(inUse(limiter)).toBe(0);
      answers[0]?.(200);
      expect([(await answer).status, logged.length]).toEqual([200, 1]);
    },
  },
  {
    name: "frees the place if the cost of the response cannot be settled",
    run: async (start) => {
      const { limiter } = manualLimiter([atMost(1), bucketOf(9)]);
      const logged: unknown[] = [];
      const chargeAfter = () => Promise.reject(new Error("no cost"));
      const url = await start({ limiter, chargeAfter, logError: (error) => logged.push(error) });
      expect((await send(`${url}/ok`)).status).toBe(200);
      await until(() => inUse(limiter) === 0 && logged.length === 1, "it is freed and logged");
      expect((await send(`${url}/ok`)).status).toBe(200);
    },
  },
  {
    name: "settles units as ever beside places, also of a client that leaves",
    run: async (start) => {
      const { limiter } = manualLimiter([atMost(1), perMinute(100)]);
      const cost = { requests: 10 };
      const url = await start({ limiter, cost, chargeAfter: () => ({ requests: 30 }) });
      const units = () => limiter.explain(HERE, 0).find(({ unit }) => unit === "requests")!.used;
      expect((await send(`${url}/ok`)).status).toBe(200);
      await until(() => units() === 30 && inUse(limiter) === 0, "it is settled and freed");
      await breakOff(`${url}/stream/2000`, "first bytes");
      await until(() => units() === 60 && inUse(limiter) === 0, "it is charged and freed");
    },
  },
  {
    name: "takes places only for requests whose chosen limits count them",
    run: async (start) => {
      const clock = manualClock(START_MS);
      const streams = atMost(1);
      const limiter = createLimiter({
        key: perAddress,
        limits: ({ path }: HttpFacts) => (path === "/ok" ? [bucketOf(9)] : [streams, bucketOf(9)]),
        clock,
      });
      const { answers, login } = slowHandlers();
      const url = await start({ limiter, login });
      const used = () => limiter.byKey("127.0.0.1", [streams]).explain()[0]!.used;
      expect((await send(`${url}/ok`)).status).toBe(200);
      const first = send(`${url}/login`);
      await until(() => answers.length === 1, "it is handled");
      expect([used(), (await send(`${url}/login`)).status, (await send(`${url}/ok`)).status]).toEqual([1, 429, 200]);
      answers[0]?.(200);
      expect((await first).status).toBe(200);
      await until(() => used() === 0, "it is freed");
    },
  },
  {
    name: "frees places in an asynchronous store after the response",
    run: async (start) => {
      const store = new AsyncTwin();
      const limits = [atMost(2)];
      const fixed = createLimiter({ name: "fixed", key: perAddress, limits, store });
      const lookedUp = createLimiter({ name: "looked-up", key: async (facts: HttpFacts) => perAddress(facts), limits });
      for (const limiter of [fixed, lookedUp]) {
        const url = await start({ limiter, inner: { limiter: manualLimiter([bucketOf(100)]).limiter } });
        const used = async () => (await limiter.explain(HERE, 0))[0]!.used;
        expect((await send(`${url}/ok`)).status).toBe(200);
        await breakOff(`${url}/stream/2000`, "first bytes");
        let now = 1;
        while (now > 0) {
          await new Promise((resolve) => setTimeout(resolve, 2));
          now = await used();
        }
      }
    },
  },
];
