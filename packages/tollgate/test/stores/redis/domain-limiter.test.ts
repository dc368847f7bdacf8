import { createLimits, type LimitsFile, type RuleWords } from "tollgate/config";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
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
});
