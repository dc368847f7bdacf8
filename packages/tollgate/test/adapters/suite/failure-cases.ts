import { type AsyncLimiter, createLimiter } from "tollgate";
import type { HttpFacts } from "tollgate/node";
import { expect, vi } from "vitest";
import { AsyncTwin } from "../../testing/async-twin.ts";
import { bucketOf, left, manualLimiter, type SuiteCase } from "./case.ts";
import { send, statuses } from "./client.ts";
import type { SuiteOptions } from "./harness.ts";
import { until } from "./until.ts";

const SECRET = new Error("the secret inside");
const broken = (_value?: unknown): never => {
  throw SECRET;
};
const brokenLater = async (): Promise<never> => broken();

const brokenFor = (_facts: HttpFacts): never => broken();
const brokenKey = () => createLimiter({ key: brokenFor, limits: [bucketOf(5)] });
const brokenFarKey = () =>
  createLimiter({ name: "far", key: brokenFor, limits: [bucketOf(5)], store: new AsyncTwin() });

type Failure = readonly [
  what: string,
  options: () => Pick<SuiteOptions, "cost" | "input" | "limiter" | "partitionKey" | "skip">,
  /** What the framework gets, if it is not the error that was thrown. */
  error?: object,
];

/** The ways in which a request can fail before it is counted. */
const FAILURES: readonly Failure[] = [
  ["a key function that throws", () => ({ limiter: brokenKey() })],
  ["a key function that throws, over an asynchronous store", () => ({ limiter: brokenFarKey() })],
  ["an input that throws", () => ({ limiter: manualLimiter([bucketOf(5)]).limiter, input: broken })],
  ["an input that fails later", () => ({ limiter: manualLimiter([bucketOf(5)]).limiter, input: brokenLater })],
  ["a cost that throws", () => ({ limiter: manualLimiter([bucketOf(5)]).limiter, cost: broken })],
  ["a cost that fails later", () => ({ limiter: manualLimiter([bucketOf(5)]).limiter, cost: brokenLater })],
  ["a malformed cost", () => ({ limiter: manualLimiter([bucketOf(5)]).limiter, cost: () => -1 }), { code: "ERR_COST" }],
  ["a skip that throws", () => ({ limiter: manualLimiter([bucketOf(5)]).limiter, skip: broken })],
  ["a skip that fails later", () => ({ limiter: manualLimiter([bucketOf(5)]).limiter, skip: brokenLater })],
  ...[undefined, null, "", "route"].flatMap(thrownAs),
  ["a partition key that throws", () => ({ limiter: manualLimiter([bucketOf(5)]).limiter, partitionKey: broken })],
  ["a partition key that is a promise", () => partitioned(async () => "ann"), { code: "ERR_OPTION" }],
  ["a partition key that is a rejected promise", () => partitioned(brokenLater), { code: "ERR_OPTION" }],
  ["a partition key that is a symbol", () => partitioned(() => Symbol("ann")), { code: "ERR_OPTION" }],
  ["a partition key of 257 characters", () => partitioned(() => "a".repeat(257)), { code: "ERR_OPTION" }],
];

/** Frameworks do not take some thrown values for errors. Express takes the text "route" for a command. */
function thrownAs(thrown: unknown): Failure[] {
  const atOnce = (): never => {
    throw thrown;
  };
  const later = async (): Promise<never> => atOnce();
  const shown = JSON.stringify(thrown) ?? "undefined";
  const inputOf = (input: () => never | Promise<never>) => () => ({
    limiter: manualLimiter([bucketOf(5)]).limiter,
    input,
  });
  const error = { message: "the limiter threw a value that is not an object", cause: thrown };
  return [
    [`an input that throws ${shown}`, inputOf(atOnce), error],
    [`an input that rejects with ${shown}`, inputOf(later), error],
    [`a store elsewhere that rejects with ${shown}`, () => ({ limiter: rejectingLimiter(later) }), error],
  ];
}

/** A limiter that has only the required shape, such as one of another copy of the package. */
function rejectingLimiter(consume: () => Promise<never>): AsyncLimiter<HttpFacts> {
  return { kind: "async", consume } as unknown as AsyncLimiter<HttpFacts>;
}

function partitioned(partitionKey: () => unknown): Pick<SuiteOptions, "limiter" | "partitionKey"> {
  return { limiter: manualLimiter([bucketOf(5)]).limiter, partitionKey: partitionKey as () => string };
}

/** The ways in which a log can fail. */
const BROKEN_LOGS: readonly (readonly [how: string, fail: (error: unknown) => unknown])[] = [
  ["throws", broken],
  ["fails later", brokenLater],
];

function brokenLogCase([how, fail]: (typeof BROKEN_LOGS)[number]): SuiteCase {
  return {
    name: `decides and settles even if logError ${how}`,
    run: async (start) => {
      const warn = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
      const logged: unknown[] = [];
      const logError = (error: unknown) => {
        logged.push(error);
        return fail(error);
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
      await until(
        () => logged.length === 6 && warn.mock.calls.length === 6,
        "all errors are logged, and the process has emitted warnings",
      );
      expect(left(limiter)).toBe(3);
    },
  };
}

function casesOf([what, options, meant = SECRET]: Failure): SuiteCase[] {
  return [
    {
      name: `answers 500 to ${what}, and hands the framework an error`,
      run: async (start) => {
        const errors: unknown[] = [];
        const caught = (got: unknown) => void errors.push(got);
        // Behind node:http there is no framework, and errors are logged.
        const answer = await send(`${await start({ ...options(), caught, logError: caught })}/ok`);
        expect([answer.status, answer.headers["ratelimit"]]).toEqual([500, undefined]);
        expect(errors).toMatchObject([meant]);
        expect(errors[0] === SECRET).toBe(meant === SECRET);
      },
    },
    {
      name: `allows the request and logs the error for ${what} if onError is allow`,
      run: async (start) => {
        const logged: unknown[] = [];
        const url = await start({ ...options(), onError: "allow", logError: (error) => logged.push(error) });
        const answer = await send(`${url}/ok`);
        expect([answer.status, answer.body]).toEqual([200, "hello"]);
        expect(answer.headers["ratelimit"]).toBeUndefined();
        expect(logged).toHaveLength(1);
      },
    },
    {
      name: `answers 503 and logs the error for ${what} if onError is deny`,
      run: async (start) => {
        const logged: unknown[] = [];
        const url = await start({ ...options(), onError: "deny", logError: (error) => logged.push(error) });
        const answer = await send(`${url}/ok`);
        expect([answer.status, answer.body]).toEqual([503, '{"error":"service unavailable"}']);
        expect(answer.headers["cache-control"]).toBe("no-store");
        expect(logged).toHaveLength(1);
      },
    },
  ];
}

export const FAILURE_CASES: readonly SuiteCase[] = [
  ...FAILURES.flatMap(casesOf),
  ...BROKEN_LOGS.map(brokenLogCase),
  {
    name: "counts nothing for requests that fail before they are counted",
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
    name: "counts requests whose handler fails, and leaves the failure to the framework",
    run: async (start) => {
      const { limiter } = manualLimiter([bucketOf(2)]);
      const url = await start({ limiter, onError: "allow" });
      expect((await send(`${url}/throw`)).status).toBe(500);
      expect(await statuses(`${url}/ok`, 2)).toEqual([200, 429]);
    },
  },
];
