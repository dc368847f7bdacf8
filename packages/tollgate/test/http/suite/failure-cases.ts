import { createLimiter } from "tollgate";
import type { HttpFacts } from "tollgate/node";
import { expect } from "vitest";
import { AsyncTwin } from "../../stores/async-twin.ts";
import { bucketOf, held, left, type SuiteCase } from "./case.ts";
import { send, statuses } from "./client.ts";
import type { SuiteOptions } from "./harness.ts";

const broken = (): never => {
  throw new Error("the secret inside");
};
const brokenLater = async (): Promise<never> => broken();

const brokenKey = () => createLimiter<HttpFacts>({ key: broken, limits: [bucketOf(5)] });
const brokenFarKey = () =>
  createLimiter<HttpFacts>({ name: "far", key: broken, limits: [bucketOf(5)], store: new AsyncTwin() });

type Failure = readonly [
  what: string,
  options: () => Pick<SuiteOptions, "cost" | "input" | "limiter" | "partitionKey" | "skip">,
];

/** Every way in which asking can fail, before anything is counted. */
const FAILURES: readonly Failure[] = [
  ["a key function that throws", () => ({ limiter: brokenKey() })],
  ["a key function that throws, the store elsewhere", () => ({ limiter: brokenFarKey() })],
  ["an input that throws", () => ({ limiter: held([bucketOf(5)]).limiter, input: broken })],
  ["an input that fails later", () => ({ limiter: held([bucketOf(5)]).limiter, input: brokenLater })],
  ["a cost that throws", () => ({ limiter: held([bucketOf(5)]).limiter, cost: broken })],
  ["a cost that fails later", () => ({ limiter: held([bucketOf(5)]).limiter, cost: brokenLater })],
  ["a cost that is none", () => ({ limiter: held([bucketOf(5)]).limiter, cost: () => -1 })],
  ["a skip that throws", () => ({ limiter: held([bucketOf(5)]).limiter, skip: broken })],
  ["a skip that fails later", () => ({ limiter: held([bucketOf(5)]).limiter, skip: brokenLater })],
  ["a partition key that throws", () => ({ limiter: held([bucketOf(5)]).limiter, partitionKey: broken })],
];

function casesOf([what, options]: Failure): SuiteCase[] {
  return [
    {
      name: `answers 500 to ${what}, and tells nothing of the inside`,
      run: async (start) => {
        const answer = await send(`${await start({ ...options(), reportError: () => {} })}/ok`);
        expect(answer.status).toBe(500);
        expect(answer.headers["ratelimit"]).toBeUndefined();
      },
    },
    {
      name: `lets pass with ${what} where failures allow, and reports it`,
      run: async (start) => {
        const reported: unknown[] = [];
        const url = await start({ ...options(), onError: "allow", reportError: (error) => reported.push(error) });
        const answer = await send(`${url}/ok`);
        expect([answer.status, answer.body]).toEqual([200, "hello"]);
        expect(answer.headers["ratelimit"]).toBeUndefined();
        expect(reported).toHaveLength(1);
      },
    },
    {
      name: `answers 503 to ${what} where failures deny, and reports it`,
      run: async (start) => {
        const reported: unknown[] = [];
        const url = await start({ ...options(), onError: "deny", reportError: (error) => reported.push(error) });
        const answer = await send(`${url}/ok`);
        expect([answer.status, answer.body]).toEqual([503, '{"error":"service unavailable"}']);
        expect(answer.headers["cache-control"]).toBe("no-store");
        expect(reported).toHaveLength(1);
      },
    },
  ];
}

export const FAILURE_CASES: readonly SuiteCase[] = [
  ...FAILURES.flatMap(casesOf),
  {
    name: "counts nothing for what fails",
    run: async (start) => {
      const { limiter } = held([bucketOf(5)]);
      const url = await start({ limiter, onError: "deny", partitionKey: broken, reportError: () => {} });
      expect(await statuses(`${url}/ok`, 3)).toEqual([503, 503, 503]);
      expect(left(limiter)).toBe(5);
    },
  },
  {
    name: "leaves the handler's own failures to the framework, and counts them",
    run: async (start) => {
      const { limiter } = held([bucketOf(2)]);
      const url = await start({ limiter, onError: "allow" });
      expect((await send(`${url}/throw`)).status).toBe(500);
      expect(await statuses(`${url}/ok`, 2)).toEqual([200, 429]);
    },
  },
];
