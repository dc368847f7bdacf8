import { concurrency, createLimiter, type Limiter, tokenBucket } from "tollgate";
import type { HttpFacts } from "tollgate/node";
import { expect } from "vitest";
import { AsyncTwin } from "../../testing/async-twin.ts";
import { AMPLE, bucketOf, HERE, left, manualLimiter, perAddress, type SuiteCase, slowHandlers } from "./case.ts";
import { get, leave, send } from "./client.ts";
import { until } from "./until.ts";

/** Many times the listeners that Node lets an emitter have without a warning. */
const PIPELINED = 30;

/** How many requests wait, under a bucket of one unit that refills each second: each adds a second to a denial. */
function waiting(limiter: Limiter<HttpFacts>): number {
  const { retryAfterMs, ...decision } = limiter.peek(HERE);
  const isBehind = !decision.allowed && decision.reason === "others-waiting";
  return isBehind ? Math.ceil(retryAfterMs / 1_000) - 1 : 0;
}

async function untilWaiting(limiter: Limiter<HttpFacts>, count: number): Promise<void> {
  await until(() => waiting(limiter) === count, `${count} wait`);
}

/** Requests that wait for their turn, by `maxWait`. */
export const TURN_CASES: readonly SuiteCase[] = [
  {
    name: "has requests wait for their turns, and denies at once one whose wait would be too long",
    run: async (start) => {
      const { clock, limiter } = manualLimiter([bucketOf(1)]);
      const url = await start({ limiter, maxWait: "2s" });
      const answered: number[] = [];
      const ask = async (index: number) => {
        const answer = await send(`${url}/ok`);
        answered.push(index);
        return answer;
      };
      expect((await ask(0)).status).toBe(200);
      const second = ask(1);
      await untilWaiting(limiter, 1);
      const third = ask(2);
      await untilWaiting(limiter, 2);
      const denied = await ask(3);
      expect([denied.status, denied.headers["retry-after"]]).toEqual([429, "3"]);
      clock.advance(1_000);
      expect(await second).toMatchObject({ status: 200, body: "hello", headers: { ratelimit: '"bucket";r=0;t=1' } });
      clock.advance(1_000);
      expect((await third).status).toBe(200);
      expect(answered).toEqual([0, 3, 1, 2]);
    },
  },
  {
    name: "takes nothing for a client that goes while it waits, and calls no handler",
    run: async (start) => {
      const { clock, limiter } = manualLimiter([bucketOf(1)]);
      let handled = 0;
      const login = async () => {
        handled += 1;
        return 204;
      };
      const url = await start({ limiter, maxWait: "1s", login });
      expect((await send(`${url}/login`)).status).toBe(204);
      await leave(url, get("/login"), untilWaiting(limiter, 1));
      await untilWaiting(limiter, 0);
      // It has the turn of the one that went.
      const next = send(`${url}/login`);
      await untilWaiting(limiter, 1);
      clock.advance(1_000);
      expect((await next).status).toBe(204);
      clock.advance(1_000);
      expect([handled, left(limiter)]).toEqual([2, 1]);
    },
  },
  {
    name: "frees the turns of pipelined requests whose client goes, without a warning",
    run: async (start) => {
      const warnings: Error[] = [];
      const warned = (warning: Error) => void warnings.push(warning);
      process.on("warning", warned);
      const { clock, limiter } = manualLimiter([bucketOf(1)]);
      const url = await start({ limiter, maxWait: "1h" });
      await send(`${url}/ok`);
      await leave(url, get("/ok").repeat(PIPELINED), untilWaiting(limiter, PIPELINED));
      await untilWaiting(limiter, 0);
      clock.advance(1_000);
      expect((await send(`${url}/ok`)).status).toBe(200);
      process.off("warning", warned);
      expect(warnings).toEqual([]);
    },
  },
  {
    name: "gives back what a store took for a client that went while the store decided",
    run: async (start) => {
      const store = new AsyncTwin();
      const limiter = createLimiter({ name: "far", key: perAddress, limits: [bucketOf(5)], store });
      const counts = { asked: 0, closed: 0, handled: 0 };
      const input = (facts: HttpFacts) => {
        counts.asked += 1;
        return facts;
      };
      const login = async () => {
        counts.handled += 1;
        return 204;
      };
      const url = await start({ limiter, maxWait: "1s", input, login });
      const answer = store.hold();
      await leave(
        url,
        get("/login"),
        until(() => counts.asked === 1, "the store is asked"),
      );
      await new Promise((resolve) => setTimeout(resolve, 30));
      answer();
      await until(() => store.corrections.length === 1, "it is given back");
      expect((await limiter.explain(HERE, 0))[0]!.used).toBe(0);
      expect((await send(`${url}/login`)).status).toBe(204);
      expect(counts.handled).toBe(1);
    },
  },
  {
    name: "serves a request that waits as soon as a refund lets it",
    run: async (start) => {
      const { limiter } = manualLimiter([bucketOf(1)]);
      const { answers, login } = slowHandlers();
      const url = await start({
        limiter,
        maxWait: "5s",
        login,
        chargeAfter: (_facts, { status }) => Number(status > 299),
      });
      const first = send(`${url}/login`);
      await until(() => answers.length === 1, "it is handled");
      const second = send(`${url}/login`);
      await untilWaiting(limiter, 1);
      answers[0]?.(204);
      expect((await first).status).toBe(204);
      await until(() => answers.length === 2, "the other is handled");
      answers[1]?.(401);
      expect((await second).status).toBe(401);
      await until(() => left(limiter) === 0, "it is settled");
    },
  },
  {
    name: "has a request wait for a place, and gives a place to no client that has gone",
    run: async (start) => {
      const { limiter } = manualLimiter([concurrency({ name: "streams", max: 1, ttl: "1m" })]);
      const { answers, login } = slowHandlers();
      const url = await start({ limiter, maxWait: "5s", login });
      const first = send(`${url}/login`);
      await until(() => answers.length === 1, "it is handled");
      const isHeldUp = () => {
        const decision = limiter.peek(HERE);
        return !decision.allowed && decision.reason === "others-waiting";
      };
      await leave(url, get("/login"), until(isHeldUp, "it waits"));
      await until(() => !isHeldUp(), "it has gone");
      const next = send(`${url}/login`);
      await until(isHeldUp, "the next waits");
      answers[0]?.(204);
      expect((await first).status).toBe(204);
      await until(() => answers.length === 2, "the next is handled");
      answers[1]?.(204);
      expect((await next).status).toBe(204);
      await until(() => limiter.explain(HERE)[0]!.used === 0, "all are freed");
    },
  },
  {
    name: "passes requests at once that skip lets pass, or that only a shadow limit would deny, while others wait",
    run: async (start) => {
      const shadow = tokenBucket({ capacity: 1, refill: 1, per: "1s", mode: "shadow" });
      const { clock, limiter } = manualLimiter([bucketOf(1)]);
      const skip = ({ path }: HttpFacts) => path === "/status/202";
      const inner = { limiter: manualLimiter([shadow, AMPLE]).limiter, maxWait: "5s" } as const;
      const url = await start({ limiter, maxWait: "5s", skip, inner });
      await send(`${url}/ok`);
      const second = send(`${url}/ok`);
      await untilWaiting(limiter, 1);
      expect((await send(`${url}/status/202`)).status).toBe(202);
      clock.advance(1_000);
      expect((await second).status).toBe(200);
    },
  },
  {
    name: "has a request wait for its turn under each of two limiters",
    run: async (start) => {
      const outer = manualLimiter([bucketOf(1)]);
      const inner = manualLimiter([bucketOf(1)]);
      const url = await start({
        limiter: outer.limiter,
        maxWait: "5s",
        inner: { limiter: inner.limiter, maxWait: "5s" },
      });
      await send(`${url}/ok`);
      const second = send(`${url}/ok`);
      await untilWaiting(outer.limiter, 1);
      outer.clock.advance(1_000);
      await untilWaiting(inner.limiter, 1);
      inner.clock.advance(1_000);
      expect((await second).status).toBe(200);
    },
  },
];
