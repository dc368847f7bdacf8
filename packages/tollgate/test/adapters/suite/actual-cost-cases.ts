import {
  type AsyncLimiter,
  type Clock,
  type Cost,
  combine,
  createLimiter,
  type Limit,
  type Limiter,
  perMinute,
} from "tollgate";
import type { HttpFacts, Outcome } from "tollgate/node";
import { manualClock } from "tollgate/testing";
import { expect } from "vitest";
import { START_MS } from "../../start-ms.ts";
import { AsyncTwin } from "../../testing/async-twin.ts";
import { HERE, left, manualLimiter, perAddress, type SuiteCase } from "./case.ts";
import { send, statuses } from "./client.ts";
import { until } from "./until.ts";

const REQUESTS_AND_TOKENS: readonly Limit[] = [
  perMinute(100, { name: "requests" }),
  perMinute(1_000, { name: "tokens", unit: "tokens" }),
];

async function used(limiter: AnyLimiter): Promise<number[]> {
  return (await limiter.explain(HERE, 0)).map((state) => state.used);
}

/** Malformed costs, some of which would refund a unit. */
const NO_COSTS: readonly unknown[] = [
  { requests: 0, tokens: -5 },
  { requests: 0, tokens: 1.5 },
  { requests: 0, tokens: "5" },
  { requests: 0, tokens: undefined },
  { requests: 0, token: 5 },
  { requests: 0, token: 0 },
  { requests: 0, tokens: 50, constructor: 1 },
  new Map([["requests", 0]]),
  [0, 0],
  undefined,
  null,
  "0",
  -1,
  Number.NaN,
];

function refusedOver(where: string, far: boolean): SuiteCase {
  return {
    name: `settles nothing and logs an error if the actual cost is malformed, the store ${where}`,
    run: async (start) => {
      const options = { key: perAddress, limits: REQUESTS_AND_TOKENS, clock: manualClock(START_MS) };
      const limiter = far ? createLimiter({ ...options, name: "far", store: new AsyncTwin() }) : createLimiter(options);
      const logged: unknown[] = [];
      const chargeAfter = ({ path }: HttpFacts) => NO_COSTS[Number(path.slice("/bytes/".length))] as Cost;
      const url = await start({
        limiter,
        cost: { requests: 1, tokens: 10 },
        chargeAfter,
        logError: (error) => logged.push(error),
      });
      for (const index of NO_COSTS.keys()) {
        expect((await send(`${url}/bytes/${index}`)).status).toBe(200);
        await until(() => logged.length === index + 1, `cost ${index} is logged`);
        expect(logged[index]).toMatchObject({ name: "TollgateError", code: "ERR_COST" });
        expect(await used(limiter)).toEqual([index + 1, 10 * (index + 1)]);
      }
    },
  };
}

type KeyOf = (facts: HttpFacts) => string;

type AnyLimiter = Limiter<HttpFacts> | AsyncLimiter<HttpFacts>;

const LIMITERS: readonly (readonly [name: string, create: (key: KeyOf, clock: Clock) => AnyLimiter])[] = [
  ["one limiter", (key, clock) => createLimiter({ key, limits: [perMinute(9)], clock })],
  [
    "limits chosen per call",
    (key, clock) => createLimiter({ key, limits: (facts) => [perMinute(9, { name: key(facts) })], clock }),
  ],
  [
    "a combination",
    (key, clock) => {
      const nine = createLimiter({ key, limits: [perMinute(9)], clock });
      const eight = createLimiter({ key, limits: [perMinute(8)], clock });
      return combine(nine, eight);
    },
  ],
  [
    "a store elsewhere",
    (key, clock) => createLimiter({ name: "far", key, limits: [perMinute(9)], clock, store: new AsyncTwin() }),
  ],
];

function keyKept([name, create]: (typeof LIMITERS)[number]): SuiteCase {
  return {
    name: `settles under the key that the request was counted under, even if the key has changed: ${name}`,
    run: async (start) => {
      let user = "ann";
      const limiter = create(() => user, manualClock(START_MS));
      const usedBy = async (who: string) => {
        user = who;
        return Math.max(...(await used(limiter)));
      };
      let settled = 0;
      const chargeAfter = (_facts: HttpFacts, { status }: Outcome) => {
        user = "bob";
        settled += 1;
        return status === 200 ? 1 : 7;
      };
      const url = await start({ limiter, cost: 3, chargeAfter });
      await limiter.consume(HERE, 2);
      user = "bob";
      await limiter.consume(HERE, 4);
      for (const [path, expected] of [
        ["/ok", 3],
        ["/status/404", 10],
      ] as const) {
        user = "ann";
        settled = 0;
        await send(url + path);
        await until(() => settled === 1, "it is told");
        // An asynchronous store refunds and charges some turns later.
        await new Promise((resolve) => setTimeout(resolve, 20));
        expect([await usedBy("ann"), await usedBy("bob")]).toEqual([expected, 4]);
      }
    },
  };
}

/** The actual cost of a request, which the gate settles. */
export const ACTUAL_COST_CASES: readonly SuiteCase[] = [
  refusedOver("in this process", false),
  refusedOver("elsewhere", true),
  {
    name: "charges one unit and refunds another in the same request",
    run: async (start) => {
      const { limiter } = manualLimiter(REQUESTS_AND_TOKENS);
      const chargeAfter = ({ path }: HttpFacts) => (path === "/ok" ? { tokens: 300 } : { requests: 5 });
      const url = await start({ limiter, cost: { requests: 2, tokens: 100 }, chargeAfter });
      const stands = (requests: number, tokens: number) => () => {
        const [first, second] = limiter.explain(HERE, 0);
        return first?.used === requests && second?.used === tokens;
      };
      await send(`${url}/ok`);
      await until(stands(0, 300), "tokens are charged, requests are back");
      await send(`${url}/status/201`);
      await until(stands(5, 300), "requests are charged, tokens are back");
    },
  },
  {
    name: "takes a number for the limiter's only unit",
    run: async (start) => {
      const { limiter } = manualLimiter([perMinute(100, { unit: "tokens" })]);
      const chargeAfter = () => ({ tokens: 3 });
      await send(`${await start({ limiter, chargeAfter })}/ok`);
      await until(() => left(limiter) === 97, "two more are charged");
      const inverse = await start({ limiter, cost: { tokens: 40 }, chargeAfter: () => 5 });
      await send(`${inverse}/ok`);
      await until(() => left(limiter) === 92, "the others are back");
    },
  },
  {
    name: "settles units whose names are properties of objects",
    run: async (start) => {
      const { limiter } = manualLimiter([perMinute(9), perMinute(100, { unit: "constructor" })]);
      const chargeAfter = ({ path }: HttpFacts): Cost => (path === "/ok" ? { requests: 1 } : { constructor: 70 });
      const url = await start({ limiter, cost: { requests: 1, constructor: 20 }, chargeAfter });
      await send(`${url}/ok`);
      await until(() => left(limiter) === 8, "it is settled");
      expect(await used(limiter)).toEqual([1, 0]);
      await send(`${url}/bytes/1`);
      await until(() => limiter.explain(HERE, 0)[1]?.used === 70, "they are charged");
      expect(await used(limiter)).toEqual([1, 70]);
    },
  },
  ...LIMITERS.map(keyKept),
  {
    name: "settles nothing if the store was unavailable",
    run: async (start) => {
      const store = new AsyncTwin();
      const clock = manualClock(START_MS);
      const limiter = createLimiter({ name: "far", key: perAddress, limits: [perMinute(9)], store, clock });
      let settled = 0;
      const chargeAfter = () => {
        settled += 1;
        return 0;
      };
      const url = await start({ limiter, cost: 2, chargeAfter });
      await limiter.consume(HERE, 4);
      store.outage = { cause: "gone", policy: "allow" };
      expect(await statuses(`${url}/ok`, 2)).toEqual([200, 200]);
      store.outage = undefined;
      await send(`${url}/ok`);
      await until(() => settled > 0, "the last is settled");
      await new Promise((resolve) => setTimeout(resolve, 30));
      expect([settled, await used(limiter)]).toEqual([1, [4]]);
    },
  },
];
