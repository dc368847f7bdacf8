import { type Cost, createLimiter, TollgateError } from "tollgate";
import type { RateLimited } from "tollgate/node";
import type { Report } from "tollgate/store";
import { expect } from "vitest";
import { AsyncTwin } from "../../testing/async-twin.ts";
import { bucketOf, HERE, left, manualLimiter, perAddress, type SuiteCase } from "./case.ts";
import { leave, send, statuses } from "./client.ts";
import { until } from "./until.ts";

/** A handler of `/login` that tells costs one after another. */
function telling(...costs: readonly Cost[]) {
  return async (rateLimit: RateLimited | undefined): Promise<number> => {
    for (const cost of costs) rateLimit?.settle(cost);
    return 200;
  };
}

const LOST = new Error("connection lost");

/** A store elsewhere whose calls fail at times. */
class LosingStore extends AsyncTwin {
  isLost = false;

  override async transact(...args: Parameters<AsyncTwin["transact"]>): Promise<Report> {
    if (this.isLost) throw LOST;
    return super.transact(...args);
  }
}

/** Handlers that tell what a request has cost, by `settle`. */
export const TOLD_COST_CASES: readonly SuiteCase[] = [
  {
    name: "settles what the handler tells, and else what was taken",
    run: async (start) => {
      const { limiter } = manualLimiter([bucketOf(100)]);
      const costs = [30, 0, 10, 3];
      const login = async (rateLimit: RateLimited | undefined) => {
        expect(rateLimit?.remaining).toBe(left(limiter));
        rateLimit?.settle(costs.shift()!);
        return 200;
      };
      const url = await start({ limiter, cost: 10, settle: true, login });
      const seen: number[] = [];
      for (const path of ["login", "login", "login", "login", "ok"]) {
        await send(`${url}/${path}`);
        seen.push(left(limiter));
      }
      expect(seen).toEqual([70, 70, 60, 57, 47]);
    },
  },
  {
    name: "counts the last cost that the handler tells, before chargeAfter and in its place",
    run: async (start) => {
      const { limiter } = manualLimiter([bucketOf(100)]);
      let asked = 0;
      const chargeAfter = () => {
        asked += 1;
        return 50;
      };
      const url = await start({ limiter, cost: 10, chargeAfter, login: telling(40, 2, 5) });
      await send(`${url}/login`);
      await send(`${url}/ok`);
      await until(() => left(limiter) === 45, "both are settled");
      expect(asked).toBe(1);
    },
  },
  {
    name: "settles what is told after the response has ended, and after chargeAfter",
    run: async (start) => {
      const { limiter } = manualLimiter([bucketOf(100)]);
      let later: RateLimited | undefined;
      const login = async (rateLimit: RateLimited | undefined) => {
        later = rateLimit;
        return 200;
      };
      const url = await start({ limiter, cost: 10, chargeAfter: () => 20, login });
      await send(`${url}/login`);
      await until(() => left(limiter) === 80, "chargeAfter has settled");
      later?.settle(25);
      expect(left(limiter)).toBe(75);
      later?.settle(1);
      expect(left(limiter)).toBe(99);
    },
  },
  {
    name: "settles what is told after the client has left, refunds included",
    run: async (start) => {
      const { limiter } = manualLimiter([bucketOf(100)]);
      let told: RateLimited | undefined;
      const login = (rateLimit: RateLimited | undefined) => {
        told = rateLimit;
        return new Promise<number>(() => {});
      };
      const url = await start({ limiter, cost: 50, settle: true, login });
      const gone = until(() => told !== undefined, "it is handled");
      await leave(url, "POST /login HTTP/1.1\r\nHost: here\r\nContent-Length: 0\r\n\r\n", gone);
      await statuses(`${url}/ok`, 1);
      expect(left(limiter)).toBe(0);
      told?.settle(7);
      expect(left(limiter)).toBe(43);
    },
  },
  {
    name: "refuses a malformed cost that the handler tells, before anything changes",
    run: async (start) => {
      const errors: unknown[] = [];
      for (const cost of [-1, 0.5, undefined, { tokens: 1 }] as Cost[]) {
        const { limiter } = manualLimiter([bucketOf(9)]);
        const login = async (rateLimit: RateLimited | undefined) => {
          try {
            rateLimit?.settle(cost);
          } catch (error) {
            errors.push(error);
          }
          return 200;
        };
        await send(`${await start({ limiter, cost: 4, settle: true, login })}/login`);
        expect(left(limiter)).toBe(5);
      }
      expect(errors.map((error) => (error as TollgateError).code)).toEqual(Array.from({ length: 4 }, () => "ERR_COST"));
    },
  },
  {
    name: "refuses a told cost if the limiter was made without settle",
    run: async (start) => {
      let thrown: unknown;
      const login = async (rateLimit: RateLimited | undefined) => {
        try {
          rateLimit?.settle(1);
        } catch (error) {
          thrown = error;
        }
        return 200;
      };
      await send(`${await start({ limiter: manualLimiter([bucketOf(9)]).limiter, login })}/login`);
      expect(thrown).toBeInstanceOf(TollgateError);
      expect(thrown).toMatchObject({
        code: "ERR_OPTION",
        message: "settle: expected rateLimit with settle: true, or chargeAfter, got one with neither",
      });
    },
  },
  {
    name: "settles in the last limiter that can",
    run: async (start) => {
      const { limiter } = manualLimiter([bucketOf(100)]);
      const guard = manualLimiter([bucketOf(9)]).limiter;
      const url = await start({ limiter, cost: 10, settle: true, inner: { limiter: guard }, login: telling(60) });
      await send(`${url}/login`);
      expect([left(limiter), left(guard)]).toEqual([40, 8]);
    },
  },
  {
    name: "settles what the handler tells over an asynchronous store, and logs its failure",
    run: async (start) => {
      const store = new LosingStore();
      const limiter = createLimiter({ name: "far", key: perAddress, limits: [bucketOf(100)], store });
      const errors: unknown[] = [];
      const logError = (error: unknown) => void errors.push(error);
      const login = async (rateLimit: RateLimited | undefined) => {
        await telling(60, 5)(rateLimit);
        await until(() => store.corrections.length === 3, "both costs are settled");
        store.isLost = true;
        rateLimit?.settle(8);
        await until(() => errors.length === 1, "the failure is logged");
        store.isLost = false;
        rateLimit?.settle(7);
        return 200;
      };
      const url = await start({ limiter, cost: 10, settle: true, logError, login });
      await send(`${url}/login`);
      const used = async () => (await limiter.explain(HERE, 0))[0]?.used;
      expect([await used(), errors]).toEqual([7, [LOST]]);
    },
  },
];
