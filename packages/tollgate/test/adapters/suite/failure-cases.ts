import { type AsyncLimiter, createLimiter } from "tollgate";
import type { HttpFacts } from "tollgate/node";
import { expect, vi } from "vitest";
import { AsyncTwin } from "../../testing/async-twin.ts";
import { bucketOf, left, manualLimiter, type SuiteCase } from "./case.ts";
import { send, statuses } from "./client.ts";
import type { SuiteOptions } from "./harness.ts";
import { until } from "./until.ts";

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
  ["an input that throws", () => ({ limiter: manualLimiter([bucketOf(5)]).limiter, input: broken })],
  ["an input that fails later", () => ({ limiter: manualLimiter([bucketOf(5)]).limiter, input: brokenLater })],
  ["a cost that throws", () => ({ limiter: manualLimiter([bucketOf(5)]).limiter, cost: broken })],
  ["a cost that fails later", () => ({ limiter: manualLimiter([bucketOf(5)]).limiter, cost: brokenLater })],
  ["a cost that is none", () => ({ limiter: manualLimiter([bucketOf(5)]).limiter, cost: () => -1 })],
  ["a skip that throws", () => ({ limiter: manualLimiter([bucketOf(5)]).limiter, skip: broken })],
  ["a skip that fails later", () => ({ limiter: manualLimiter([bucketOf(5)]).limiter, skip: brokenLater })],
  ...[undefined, null, "", "a text"].flatMap(thrownAs),
  ["a partition key that throws", () => ({ limiter: manualLimiter([bucketOf(5)]).limiter, partitionKey: broken })],
  ["a partition key that is a promise", () => partitioned(async () => "ann")],
  ["a partition key that is a promise, and fails", () => partitioned(brokenLater)],
  ["a partition key that is a symbol", () => partitioned(() => Symbol("ann"))],
  ["a partition key of 257 characters", () => partitioned(() => "a".repeat(257))],
];

/** Frameworks take some of what can be thrown for no error. */
function thrownAs(thrown: unknown): Failure[] {
  const atOnce = (): never => {
    throw thrown;
  };
  const later = async (): Promise<never> => atOnce();
  const shown = JSON.stringify(thrown) ?? "undefined";
  return [
    [`an input that throws ${shown}`, () => ({ limiter: manualLimiter([bucketOf(5)]).limiter, input: atOnce })],
    [`an input that rejects with ${shown}`, () => ({ limiter: manualLimiter([bucketOf(5)]).limiter, input: later })],
    [`a store elsewhere that rejects with ${shown}`, () => ({ limiter: rejecting(later) })],
  ];
}

/** A limiter of another package, say, which is known by its shape alone. */
function rejecting(consume: () => Promise<never>): AsyncLimiter<HttpFacts> {
  return { kind: "async", consume } as unknown as AsyncLimiter<HttpFacts>;
}

function partitioned(partitionKey: () => unknown): Pick<SuiteOptions, "limiter" | "partitionKey"> {
  return { limiter: manualLimiter([bucketOf(5)]).limiter, partitionKey: partitionKey as () => string };
}

/** The ways in which whoever hears of a failure can fail. */
const REPORTERS: readonly (readonly [how: string, report: (error: unknown) => unknown])[] = [
  ["throws", broken],
  ["fails later", brokenLater],
];

function reporterCase([how, report]: (typeof REPORTERS)[number]): SuiteCase {
  return {
    name: `decides and settles as ever when logError ${how}`,
    run: async (start) => {
      const warn = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
      const told: unknown[] = [];
      const logError = (error: unknown) => {
        told.push(error);
        return report(error);
      };
      for (const [onError, status] of [
        ["allow", 200],
        ["deny", 503],
      ] as const) {
        const url = await start({ limiter: brokenKey(), onError, logError });
        expect(await statuses(`${url}/ok`, 2)).toEqual([status, status]);
      }
      const { limiter } = manualLimiter([bucketOf(5)]);
      const url = await start({ limiter, chargeAfter: broken, logError });
      expect(await statuses(`${url}/ok`, 2)).toEqual([200, 200]);
      await until(() => told.length === 6 && warn.mock.calls.length === 6, "all are told, and the process is warned");
      warn.mockRestore();
      expect(left(limiter)).toBe(3);
    },
  };
}

function casesOf([what, options]: Failure): SuiteCase[] {
  return [
    {
      name: `answers 500 to ${what}, and tells nothing of the inside`,
      run: async (start) => {
        const answer = await send(`${await start({ ...options(), logError: () => {} })}/ok`);
        expect(answer.status).toBe(500);
        expect(answer.headers["ratelimit"]).toBeUndefined();
      },
    },
    {
      name: `lets pass with ${what} where failures allow, and reports it`,
      run: async (start) => {
        const reported: unknown[] = [];
        const url = await start({ ...options(), onError: "allow", logError: (error) => reported.push(error) });
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
        const url = await start({ ...options(), onError: "deny", logError: (error) => reported.push(error) });
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
  ...REPORTERS.map(reporterCase),
  {
    name: "counts nothing for what fails",
    run: async (start) => {
      for (const partitionKey of [broken, () => "a".repeat(257), () => Symbol("ann") as unknown as string]) {
        const { limiter } = manualLimiter([bucketOf(5)]);
        const url = await start({ limiter, onError: "deny", partitionKey, logError: () => {} });
        expect(await statuses(`${url}/ok`, 3)).toEqual([503, 503, 503]);
        expect(left(limiter)).toBe(5);
      }
    },
  },
  {
    name: "leaves the handler's own failures to the framework, and counts them",
    run: async (start) => {
      const { limiter } = manualLimiter([bucketOf(2)]);
      const url = await start({ limiter, onError: "allow" });
      expect((await send(`${url}/throw`)).status).toBe(500);
      expect(await statuses(`${url}/ok`, 2)).toEqual([200, 429]);
    },
  },
];
