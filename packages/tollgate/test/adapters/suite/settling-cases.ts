import { createLimiter } from "tollgate";
import type { HttpFacts, Outcome } from "tollgate/node";
import type { Report } from "tollgate/store";
import { expect } from "vitest";
import { AsyncTwin } from "../../testing/async-twin.ts";
import { bucketOf, HERE, left, manualLimiter, perAddress, recorder, type SuiteCase } from "./case.ts";
import { send, statuses } from "./client.ts";
import { until } from "./until.ts";

/** A store elsewhere that was unavailable, and whose fallback has counted. */
class FallenBack extends AsyncTwin {
  override async transact(...args: Parameters<AsyncTwin["transact"]>): Promise<Report> {
    const report = await super.transact(...args);
    report.degraded = "connection lost";
    return report;
  }
}

export const SETTLING_CASES: readonly SuiteCase[] = [
  {
    name: "refunds successful requests, so that only failures count",
    run: async (start) => {
      const { limiter } = manualLimiter([bucketOf(3)]);
      const { outcomes, chargeAfter } = recorder(({ status }) => (status === 401 ? 1 : 0));
      const url = await start({ limiter, chargeAfter });
      for (let i = 1; i <= 5; i += 1) {
        expect((await send(`${url}/ok`)).status).toBe(200);
        await until(() => outcomes.length === i && left(limiter) === 3, "the unit is back");
      }
      for (let i = 1; i <= 3; i += 1) {
        expect((await send(`${url}/status/401`)).status).toBe(401);
        await until(() => outcomes.length === 5 + i, "it is settled");
      }
      expect((await send(`${url}/ok`)).status).toBe(429);
      expect(outcomes).toHaveLength(8);
    },
  },
  {
    name: "tells an asynchronous store where the request was counted",
    run: async (start) => {
      const store = new FallenBack();
      const limiter = createLimiter({ name: "far", key: perAddress, limits: [bucketOf(9)], store });
      const chargeAfter = (_facts: HttpFacts, { status }: Outcome) => (status === 200 ? 1 : 4);
      const url = await start({ limiter, cost: 3, chargeAfter });
      await send(`${url}/ok`);
      await until(() => store.corrections.length === 1, "two are back");
      await send(`${url}/status/404`);
      await until(() => store.corrections.length === 2, "one more is charged");
      const places = store.corrections.map(([verb, taken]) => [
        verb,
        taken?.map(({ where, degraded }) => [where, degraded]),
      ]);
      expect(places).toEqual([
        ["refund", [["own", "connection lost"]]],
        ["charge", [["own", "connection lost"]]],
      ]);
    },
  },
  {
    name: "charges by the bytes of the response, into debt",
    run: async (start) => {
      const { limiter } = manualLimiter([bucketOf(5_000)]);
      const { outcomes, chargeAfter } = recorder(({ bytes }) => bytes);
      const url = await start({ limiter, cost: 0, chargeAfter });
      await send(`${url}/bytes/4000`);
      await until(() => outcomes.length === 1 && left(limiter) === 1_000, "4,000 are charged");
      await send(`${url}/stream/3`);
      await until(() => outcomes.length === 2, "3,000 are charged");
      expect(limiter.explain(HERE, 0)[0]?.used).toBe(7_000);
      expect((await send(`${url}/ok`)).status).toBe(429);
    },
  },
  {
    name: "tells chargeAfter once how each response ended",
    run: async (start) => {
      const { outcomes, chargeAfter } = recorder();
      const url = await start({ limiter: manualLimiter([bucketOf(100)]).limiter, chargeAfter });
      for (const path of ["/ok", "/bytes/1234", "/stream/4", "/status/404"]) await send(url + path);
      await until(() => outcomes.length === 4, "all four are told");
      expect(outcomes).toEqual([
        { status: 200, bytes: 5, completed: true },
        { status: 200, bytes: 1_234, completed: true },
        { status: 200, bytes: 4_000, completed: true },
        { status: 404, bytes: 6, completed: true },
      ]);
    },
  },
  {
    name: "tells chargeAfter that HEAD sent no body",
    run: async (start) => {
      const { outcomes, chargeAfter } = recorder();
      const url = await start({ limiter: manualLimiter([bucketOf(100)]).limiter, chargeAfter });
      const answer = await send(`${url}/bytes/500`, { method: "HEAD" });
      expect([answer.status, answer.body]).toEqual([200, ""]);
      await until(() => outcomes.length === 1, "it is told");
      expect(outcomes).toEqual([{ status: 200, bytes: 0, completed: true }]);
    },
  },
  {
    name: "settles a request whose handler failed",
    run: async (start) => {
      const { outcomes, chargeAfter } = recorder();
      const url = await start({ limiter: manualLimiter([bucketOf(100)]).limiter, chargeAfter });
      expect((await send(`${url}/throw`)).status).toBe(500);
      await until(() => outcomes.length === 1, "it is told");
      expect(outcomes[0]?.status).toBe(500);
    },
  },
  {
    name: "settles nothing for requests that were denied, skipped or not counted",
    run: async (start) => {
      const { outcomes, chargeAfter } = recorder();
      const { limiter } = manualLimiter([bucketOf(1)]);
      const url = await start({ limiter, chargeAfter, skip: ({ path }) => path === "/status/204" });
      expect(await statuses(`${url}/status/204`, 2)).toEqual([204, 204]);
      expect(await statuses(`${url}/ok`, 3)).toEqual([200, 429, 429]);
      await until(() => outcomes.length === 1, "the one is told");
      await new Promise((resolve) => setTimeout(resolve, 30));
      expect(outcomes).toHaveLength(1);
    },
  },
  {
    name: "logs a chargeAfter that throws, rejects or returns a malformed cost",
    run: async (start) => {
      const logged: unknown[] = [];
      const { limiter } = manualLimiter([bucketOf(100)]);
      const chargeAfter = ({ path }: HttpFacts) => {
        if (path === "/ok") throw new Error("at once");
        return path === "/bytes/1" ? Promise.reject(new Error("later")) : Number.NaN;
      };
      const url = await start({ limiter, chargeAfter, logError: (error) => logged.push(error) });
      for (const path of ["/ok", "/bytes/1", "/bytes/2"]) expect((await send(url + path)).status).toBe(200);
      await until(() => logged.length === 3, "all three are logged");
      expect(left(limiter)).toBe(97);
    },
  },
];
