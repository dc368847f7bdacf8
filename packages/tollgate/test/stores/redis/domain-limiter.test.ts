import { Registry } from "prom-client";
import { combine, createLimiter, perDay } from "tollgate";
import { createLimits, type Facts, type LimitsFile, type RuleWords } from "tollgate/config";
import { rateLimit } from "tollgate/express";
import { hotKeys, instrument } from "tollgate/metrics";
import { manualClock } from "tollgate/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { send } from "../../adapters/suite/client.ts";
import { serveHere } from "../../adapters/suite/node-server.ts";
import { until } from "../../adapters/suite/until.ts";
import { linesOf } from "../../metrics/scrape.ts";
import { useRedis } from "./kit/use-redis.ts";

const inUse = useRedis();
const START_MS = 1_790_000_000_000;
const ANN = { ip: "192.0.2.1", path: "/", method: "GET" };
const LOGIN = { ip: "192.0.2.1", path: "/login", method: "POST" };

const RULES = {
  client: { by: "ip", quota: "10/1d" },
  login: { match: { method: "POST", path: "/login" }, by: "ip", quota: "6/1d", cost: 3 },
  job: { match: { path: "/job" }, inflight: { max: 1, ttl: "30s" } },
} satisfies Record<string, RuleWords>;

function fileOf(limits: Readonly<Record<string, RuleWords>>): LimitsFile {
  return { version: 1, domains: { api: { limits } } };
}

describe("the limiter of a domain over Redis", () => {
  it("shares counts with other processes, asks once for all rules, and follows the file", async () => {
    const store = inUse.redis.storeByClock();
    const clock = manualClock(START_MS);
    const [one, other] = [createLimits(fileOf(RULES), { store, clock }), createLimits(fileOf(RULES), { store, clock })];
    const limiter = one.limiter("api");
    expect((await limiter.consume(LOGIN)).limiter).toBe("api/login");
    expect(await other.limiter("api").allow(LOGIN)).toBe(true);
    expect(await limiter.consume(LOGIN)).toMatchObject({ allowed: false, limiter: "api/login" });
    expect(await inUse.redis.callsOf(() => limiter.consume(LOGIN, 0))).toBe(1);
    expect((await limiter.explain(LOGIN)).map(({ used }) => used)).toEqual([2, 6]);
    const out = new Uint8Array(3);
    expect([await limiter.allowMany([ANN, LOGIN, ANN], out), [...out]]).toEqual([2, [1, 0, 1]]);
    one.update(fileOf({ client: { by: "ip", quota: "5/1d" } }));
    expect((await limiter.consume(LOGIN)).remaining).toBe(0);
    expect(await limiter.allow(ANN)).toBe(false);
    const calls = await inUse.redis.callsOf(async () => {
      one.update(fileOf({ login: RULES.login }));
      await limiter.consume(ANN);
    });
    expect(calls).toBe(0);
  });

  it("rejects what is wrong, and combines with limiters of the store", async () => {
    const store = inUse.redis.storeByClock();
    const clock = manualClock(START_MS);
    const limits = createLimits(fileOf(RULES), { store, clock });
    const limiter = limits.limiter("api");
    const all = createLimiter({
      name: "all",
      key: (facts: Facts) => `all ${typeof facts}`,
      limits: [perDay(2)],
      store,
      clock,
    });
    const both = combine(all, limiter);
    expect([await both.allow(ANN), await both.allow(LOGIN), await both.allow(ANN)]).toEqual([true, true, false]);
    expect((await limiter.explain(LOGIN)).map(({ used }) => used)).toEqual([2, 3]);
    await expect(limiter.consume(ANN, -1)).rejects.toThrow("cost");
    const looked = createLimiter({
      name: "looked",
      key: async (facts: Facts) => `all ${typeof facts}`,
      limits: [perDay(100, { name: "looked" })],
      store,
      clock,
    });
    const later = combine(looked, limiter);
    const reservation = await later.reserve(LOGIN);
    expect(reservation.decision.limits.map(({ unit }) => unit)).toEqual(["requests", "requests", "requests@login"]);
    await reservation.cancel();
    expect((await later.explain(LOGIN)).map(({ used }) => used)).toEqual([0, 2, 3]);
    limits.update({ version: 1, domains: { other: { limits: RULES } } });
    await expect(limiter.consume(ANN)).rejects.toThrow("expected one that the limits file has");
    const local = createLimiter({
      name: "local",
      key: (facts: Facts) => `all ${typeof facts}`,
      limits: [perDay(2)],
      clock,
    });
    expect(() => combine(limiter, local)).toThrow("both kinds");
  });

  it("holds places in front of express, settles, and has the names of the rules in metrics", async () => {
    const { default: express } = await import("express");
    const limits = createLimits(fileOf(RULES), { store: inUse.redis.store(), trustProxy: "loopback" });
    const limiter = limits.limiter("api");
    const registry = new Registry();
    instrument(limiter, { registry });
    const hot = hotKeys(limiter, { sample: 1 });
    const app = express();
    let open = 0;
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    app.use(rateLimit({ limiter, settle: true }));
    app.all("/job", async (_request, response) => {
      open += 1;
      await released;
      response.send("done");
    });
    app.all("*path", (request, response) => {
      request.rateLimit?.settle?.({ requests: 1 });
      response.send("hello");
    });
    const server = await serveHere(app);
    onTestFinished(() => server.close());
    const headers = { "x-forwarded-for": "192.0.2.1" };
    expect((await send(`${server.url}/login`, { method: "POST", headers })).status).toBe(200);
    const job = send(`${server.url}/job`, { headers });
    await until(() => open === 1, "the job runs");
    expect((await send(`${server.url}/job`, { headers })).status).toBe(429);
    release();
    expect((await job).status).toBe(200);
    const lines = (await linesOf(registry, "rate_limit_acquire_total")).sort();
    expect(lines).toEqual([
      'rate_limit_acquire_total{limiter="api/job",limit="job.inflight",result="allow"} 1',
      'rate_limit_acquire_total{limiter="api/job",limit="job.inflight",result="deny"} 1',
      'rate_limit_acquire_total{limiter="api/login",limit="login.quota",result="allow"} 1',
    ]);
    expect(hot.active().map(({ limiter: rule, key, count }) => [rule, key, count])).toEqual([
      ["api/client", "192.0.2.1", 3],
      ["api/job", "all", 2],
      ["api/login", "192.0.2.1", 1],
    ]);
    const used = async () => (await limiter.explain(LOGIN)).map((status) => status.used).join(" ");
    for (let turn = 0; turn < 1_000 && (await used()) !== "2 1"; turn += 1);
    expect(await used()).toBe("2 1");
  });
});
