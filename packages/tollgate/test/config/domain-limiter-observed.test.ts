import { Registry } from "prom-client";
import { combine, type Observation } from "tollgate";
import { hotKeys, instrument } from "tollgate/metrics";
import { describe, expect, it } from "vitest";
import { EVERY_STORE } from "../limiter/every-store.ts";
import { linesOf } from "../metrics/scrape.ts";
import { ANN, fileOf, LOGIN, PLACE, setUp, TWO_RULES } from "./domain-set-up.ts";

describe.each(EVERY_STORE)("the limiter of a domain, over %s", (_name, storeOf) => {
  it("is observed in all versions of the file, once for each call", async () => {
    const { limits, limiter, other } = setUp(storeOf, TWO_RULES);
    const seen: string[] = [];
    const note = (observation: Observation) => {
      if (observation.type !== "decision") return;
      seen.push(`${observation.verb} ${observation.decision.limiter} ${observation.keys.length}`);
    };
    await limiter.consume(LOGIN);
    const stop = limiter.observe(note);
    await limiter.consume(LOGIN);
    await limits.consume("api", ANN);
    limits.update(fileOf({ login: TWO_RULES.login }));
    await limiter.allow(LOGIN);
    await limiter.consume(ANN);
    const all = combine(limiter, other("other", 99));
    const ofAll: string[] = [];
    all.observe(({ type }) => ofAll.push(type), { types: ["decision"] });
    await all.consume(LOGIN);
    await limiter.consume(ANN);
    expect(ofAll).toEqual(["decision"]);
    stop();
    await limiter.consume(LOGIN);
    expect(seen).toEqual([
      "consume api/login 2",
      "consume api/client 1",
      "allow api/login 1",
      "consume api 0",
      "consume api/login 2",
      "consume api 0",
    ]);
  });

  it("has the keys of its rules in hotKeys, each with its rule", async () => {
    const { limits, limiter } = setUp(storeOf, { ...TWO_RULES, key: { by: "header.x-api-key", quota: "9/1d" } });
    const keys: unknown[] = [];
    const mask = (key: string) => {
      keys.push(key);
      return key;
    };
    const hot = hotKeys(limiter, { sample: 1, mask });
    for (let call = 0; call < 3; call += 1) await limiter.allow(LOGIN);
    await limits.consume("api", { ...ANN, ip: "192.0.2.2" });
    limits.update(fileOf({ login: TWO_RULES.login }));
    await limiter.consume(ANN);
    expect(keys.every((key) => typeof key === "string")).toBe(true);
    expect(hot.active().map(({ limiter: rule, key, count }) => [rule, key, count])).toEqual([
      ["api/key", "k-1", 4],
      ["api/client", "192.0.2.1", 3],
      ["api/login", "192.0.2.1", 3],
      ["api/client", "192.0.2.2", 1],
    ]);
    expect(hot.denied().map(({ limiter: rule, key, count }) => [rule, key, count])).toEqual([
      ["api/login", "192.0.2.1", 1],
    ]);
  });

  it("has the names of its rules in metrics", async () => {
    const { limits, limiter } = setUp(storeOf, {
      ...TWO_RULES,
      shadow: { match: { path: "/login" }, quota: "1/1d", mode: "shadow" },
      job: { match: { path: "/job" }, inflight: PLACE },
      locked: { match: { path: "/locked" }, limit: "deny" },
    });
    const registry = new Registry();
    const remove = instrument(limiter, { registry, sample: 1 });
    for (let call = 0; call < 3; call += 1) await limiter.allow(LOGIN);
    await limiter.consume({ ...ANN, ip: "192.0.2.2", path: "/locked" });
    await limits.reserve("api", { ...ANN, ip: "192.0.2.3", path: "/job" });
    await limiter.consume({ ...ANN, path: `/;${"x".repeat(5_000)}` });
    await limiter.consume(LOGIN);
    await limiter.allow(LOGIN);
    expect((await linesOf(registry, "rate_limit_acquire_total")).sort()).toEqual([
      'rate_limit_acquire_total{limiter="api/job",limit="job.inflight",result="allow"} 1',
      'rate_limit_acquire_total{limiter="api/locked",limit="",result="deny"} 1',
      'rate_limit_acquire_total{limiter="api/login",limit="login.quota",result="allow"} 2',
      'rate_limit_acquire_total{limiter="api/login",limit="login.quota",result="deny"} 3',
      'rate_limit_acquire_total{limiter="api/long-path",limit="",result="deny"} 1',
      'rate_limit_acquire_total{limiter="api/shadow",limit="shadow.quota",result="shadow_deny"} 4',
    ]);
    expect(await linesOf(registry, "rate_limit_places_in_use{")).toEqual([
      'rate_limit_places_in_use{limiter="api/job",limit="job.inflight"} 1',
    ]);
    expect(await linesOf(registry, "rate_limit_waiting{")).toContain('rate_limit_waiting{limiter="api/login"} 0');
    expect(await linesOf(registry, "rate_limit_near_limit_total{")).toEqual([
      'rate_limit_near_limit_total{limiter="api/login",limit="login.quota"} 1',
      'rate_limit_near_limit_total{limiter="api/job",limit="job.inflight"} 1',
    ]);
    limits.update(fileOf({ login: TWO_RULES.login }));
    await limiter.consume(ANN);
    expect((await linesOf(registry, "rate_limit_acquire_total")).sort()).toEqual([
      'rate_limit_acquire_total{limiter="api",limit="",result="allow"} 1',
      'rate_limit_acquire_total{limiter="api/login",limit="login.quota",result="allow"} 2',
      'rate_limit_acquire_total{limiter="api/login",limit="login.quota",result="deny"} 3',
    ]);
    remove();
    await limiter.consume(LOGIN);
    expect(await linesOf(registry, "rate_limit_acquire_total")).toEqual([]);
  });
});
