import { Registry } from "prom-client";
import { type AsyncLimiter, combine, createLimiter, type Limiter, type Observation, perDay } from "tollgate";
import { createLimits, type Facts, type Limits, type LimitsFile, type RuleWords } from "tollgate/config";
import { hotKeys, instrument } from "tollgate/metrics";
import type { HttpFacts } from "tollgate/node";
import { type ManualClock, manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { EVERY_STORE } from "../limiter/every-store.ts";
import { linesOf } from "../metrics/scrape.ts";

const START_MS = Date.UTC(2026, 0, 15, 12);
const ANN = { ip: "192.0.2.1", path: "/", header: { "x-api-key": "k-1" } };
const LOGIN = { ...ANN, method: "POST", path: "/login" };

function fileOf(limits: Readonly<Record<string, RuleWords>>): LimitsFile {
  return { version: 1, domains: { api: { limits } } };
}

const TWO_RULES = {
  client: { by: "ip", quota: "10/1d" },
  login: { match: { method: "POST", path: "/login" }, by: "ip", quota: "2/1d" },
} satisfies Record<string, RuleWords>;

describe.each(EVERY_STORE)("the limiter of a domain, over %s", (_name, storeOf) => {
  function setUp(rules: Readonly<Record<string, RuleWords>>): {
    readonly limits: Limits<"async">;
    /** Both kinds are awaited. */
    readonly limiter: AsyncLimiter<Facts>;
    readonly clock: ManualClock;
    readonly other: (name: string, count: number, unit?: string) => AsyncLimiter<Facts>;
  } {
    const clock = manualClock(START_MS);
    const store = storeOf();
    const limits = createLimits(fileOf(rules), { store, clock }) as unknown as Limits<"async">;
    const other = (name: string, count: number, unit = "requests") =>
      createLimiter({
        name,
        key: ({ ip }: Facts) => ip ?? "",
        limits: [perDay(count, { name, unit })],
        store,
        clock,
      }) as unknown as AsyncLimiter<Facts>;
    return { limits, limiter: limits.limiter("api"), clock, other };
  }

  it("takes from all rules that match or from none, and names the rule", async () => {
    const { limits, limiter } = setUp(TWO_RULES);
    expect(limits.limiter("api")).toBe(limiter);
    expect([await limiter.allow(LOGIN), await limiter.allow(LOGIN), await limiter.allow(LOGIN)]).toEqual([
      true,
      true,
      false,
    ]);
    expect(await limiter.consume(LOGIN)).toMatchObject({ limiter: "api/login", limit: { name: "login.quota" } });
    expect((await limiter.consume(ANN)).remaining).toBe(7);
    expect((await limits.peek("api", ANN, 0)).remaining).toBe(7);
    expect((await limiter.explain(LOGIN)).map(({ limiter: name, used }) => [name, used])).toEqual([
      ["api/client", 3],
      ["api/login", 2],
    ]);
  });

  it("takes what the file says a request costs", async () => {
    const { limits, limiter } = setUp({ client: { by: "ip", quota: "100/1d" }, heavy: { quota: "100/1d", cost: 5 } });
    await limiter.consume(ANN);
    await limiter.allow(ANN);
    const reservation = await limiter.reserve(ANN);
    expect((await limiter.explain(ANN)).map(({ used }) => used)).toEqual([3, 15]);
    await reservation.settle({ requests: 2 });
    expect((await limiter.explain(ANN)).map(({ used }) => used)).toEqual([4, 12]);
    await limiter.consume(ANN, 3);
    expect((await limits.limiter("api").explain(ANN)).map(({ used }) => used)).toEqual([7, 15]);
    const decision = await limiter.charge(ANN, { requests: 2 });
    await limiter.refund(ANN, { requests: 1 }, decision);
    expect((await limiter.explain(ANN)).map(({ used }) => used)).toEqual([8, 16]);
  });

  it("decides a batch as single calls would", async () => {
    const { limiter } = setUp({ ...TWO_RULES, costly: { match: { path: "/x" }, quota: "9/1d", cost: 5 } });
    const out = new Uint8Array(7);
    const inputs = [ANN, LOGIN, LOGIN, LOGIN, { ...ANN, path: "/x" }, { ...ANN, path: "/x" }, ANN];
    expect(await limiter.allowMany(inputs, out)).toBe(5);
    expect([...out]).toEqual([1, 1, 1, 0, 1, 0, 1]);
    const { size } = limiter as { readonly size: unknown };
    expect(typeof size === "function" ? await limiter.size() : size).toBe(3);
    await limiter.clear();
    expect((await limiter.peek(ANN, 0)).remaining).toBe(10);
  });

  it("counts nothing of a batch in which a request needs a place", async () => {
    const { limiter } = setUp({
      client: { by: "ip", quota: "9/1d" },
      job: { match: { path: "/job" }, inflight: PLACE },
    });
    const batch = async () => limiter.allowMany([ANN, { ...ANN, path: "/job" }], new Uint8Array(2));
    await expect(batch()).rejects.toThrow("allowMany: expected limits whose units come back with time");
    expect((await limiter.peek(ANN, 0)).remaining).toBe(9);
  });

  it("follows the file between two calls, while handles and reservations stay with theirs", async () => {
    const { limits, limiter } = setUp(TWO_RULES);
    const handle = limiter.handle(LOGIN);
    const reservation = await limiter.reserve(LOGIN);
    limits.update(fileOf({ client: { by: "ip", quota: "5/1d" } }));
    expect((await limiter.consume(LOGIN)).limits.map(({ name }) => name)).toEqual(["client.quota"]);
    await reservation.cancel();
    expect((await handle.consume(2)).limits.map(({ name }) => name)).toEqual(["client.quota", "login.quota"]);
    expect(await handle.allow()).toBe(false);
    expect((await limiter.peek(LOGIN, 0)).remaining).toBe(2);
  });

  it("throws while the file does not have the domain", async () => {
    const { limits, limiter } = setUp(TWO_RULES);
    await limiter.consume(ANN);
    limits.update({ version: 1, domains: { web: { limits: TWO_RULES } } });
    await expect(async () => limiter.consume(ANN)).rejects.toThrow('expected one that the limits file has, got "api"');
    expect(() => limits.limiter("api")).toThrow("expected one that the limits file has");
    expect(limits.domains).toEqual(["web"]);
    limits.update(fileOf(TWO_RULES));
    expect((await limiter.peek(ANN, 0)).remaining).toBe(9);
  });

  it("allows what no rule counts, and blocks nothing by it", async () => {
    const { limiter } = setUp({ login: TWO_RULES.login });
    await limiter.block(ANN, "1h");
    expect([await limiter.unblock(ANN), await limiter.blockedUntil(ANN)]).toEqual([false, undefined]);
    expect(await limiter.consume({ ...ANN, ip: "192.0.2.2" })).toMatchObject({ allowed: true, limiter: "api" });
    expect((await limiter.wait(ANN)).allowed).toBe(true);
    expect((await limiter.acquire(ANN)).decision.allowed).toBe(true);
  });

  it("blocks, and resets, the keys of all rules", async () => {
    const { limits, limiter } = setUp(TWO_RULES);
    await limiter.block(LOGIN, "1h");
    expect(await limiter.consume(ANN)).toMatchObject({ allowed: false, reason: "blocked" });
    expect(await limits.byKey("api", "login", ANN.ip).blockedUntil()).toBe(START_MS + 3_600_000);
    expect(await limiter.unblock(LOGIN)).toBe(true);
    await limiter.consume(LOGIN, 2);
    await limiter.reset(LOGIN);
    expect((await limiter.peek(LOGIN, 0)).remaining).toBe(2);
    await expect(async () => limiter.byKey("192.0.2.1").peek()).rejects.toThrow("byKey(domain, rule, key)");
  });

  it("waits, also while another version of the file is loaded", async () => {
    const { limits, limiter, clock } = setUp({ client: { by: "ip", rate: "1/1s" } });
    await limiter.consume(ANN);
    const waited = limiter.wait(ANN);
    const wrapped = limiter.wrap(async () => "done", { key: ANN })();
    limits.update(fileOf({ client: { by: "ip", rate: "2/1s" } }));
    for (let second = 0; second < 5; second += 1) {
      clock.advance(1_000);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect((await waited).allowed).toBe(true);
    expect(await wrapped).toBe("done");
  });

  it("is part of a combination, with its rules and their costs", async () => {
    const { limits, limiter, other } = setUp({
      client: { by: "ip", quota: "100/1d" },
      heavy: {
        match: { path: "/heavy" },
        quota: { requests: "100/1d", tokens: "50/1d" },
        cost: { requests: 5, tokens: 9 },
      },
    });
    const all = combine(other("all", 100), limiter, other("tokens", 100, "tokens"));
    const heavy = { ...ANN, path: "/heavy" };
    expect(await all.consume(heavy)).toMatchObject({ allowed: true });
    const used = async () => (await all.explain(heavy)).map(({ limiter: name, used: count }) => `${name} ${count}`);
    expect(await used()).toEqual(["all 1", "api/client 1", "api/heavy 5", "api/heavy 9", "tokens 9"]);
    expect((await all.consume(heavy, { tokens: 42 })).allowed).toBe(false);
    await all.consume(ANN);
    expect(await used()).toEqual(["all 2", "api/client 2", "api/heavy 5", "api/heavy 9", "tokens 9"]);
    limits.update(fileOf({ client: { by: "ip", quota: "2/1d" } }));
    expect(await all.consume(ANN)).toMatchObject({ allowed: false, limiter: "api/client" });
    expect((await all.peek(ANN, 0)).limits.map(({ name }) => name)).toEqual(["all", "client.quota", "tokens"]);
    const outer = combine(all, other("outer", 7));
    expect((await outer.peek(ANN, 0)).limits.map(({ name }) => name)).toEqual([
      "all",
      "client.quota",
      "tokens",
      "outer",
    ]);
    expect(() => combine(all, limiter)).toThrow('got "api" twice');
  });

  it("counts in a combination of domains the greatest cost that one states", async () => {
    const { limits } = setUp(TWO_RULES);
    const rule = (cost: number) => ({ limits: { all: { quota: "100/1d" as const, cost } } });
    limits.update({ version: 1, domains: { few: rule(2), many: rule(7), last: rule(3) } });
    const domains = limits.domains.map((name) => limits.limiter(name));
    const all = combine(domains[0]!, domains[1]!, domains[2]!);
    await all.consume(ANN);
    expect((await all.explain(ANN)).map(({ used }) => used)).toEqual([7, 7, 7]);
    await all.consume(ANN, 1);
    expect((await all.explain(ANN)).map(({ used }) => used)).toEqual([8, 8, 8]);
  });

  it("is observed in all versions of the file, once for each call", async () => {
    const { limits, limiter, other } = setUp(TWO_RULES);
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

  it("has the keys of its rules in hotKeys, each once for a call", async () => {
    const { limits, limiter } = setUp({ ...TWO_RULES, key: { by: "header.x-api-key", quota: "9/1d" } });
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
    expect(hot.active().map(({ key, calls }) => [key, calls])).toEqual([
      ["k-1", 4],
      ["192.0.2.1", 3],
      ["192.0.2.2", 1],
    ]);
    expect(
      hot
        .denied()
        .map(({ key }) => key)
        .sort(),
    ).toEqual(["192.0.2.1", "k-1"]);
  });

  it("has the names of its rules in metrics", async () => {
    const { limits, limiter } = setUp({
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
    limits.update(fileOf({ login: TWO_RULES.login }));
    await limiter.consume(LOGIN);
    await limiter.allow(LOGIN);
    await limiter.consume(ANN);
    expect((await linesOf(registry, "rate_limit_acquire_total")).sort()).toEqual([
      'rate_limit_acquire_total{limiter="api",limit="",result="allow"} 1',
      'rate_limit_acquire_total{limiter="api/job",limit="job.inflight",result="allow"} 1',
      'rate_limit_acquire_total{limiter="api/locked",limit="",result="deny"} 1',
      'rate_limit_acquire_total{limiter="api/login",limit="login.quota",result="allow"} 2',
      'rate_limit_acquire_total{limiter="api/login",limit="login.quota",result="deny"} 3',
      'rate_limit_acquire_total{limiter="api/shadow",limit="shadow.quota",result="shadow_deny"} 2',
    ]);
    expect(await linesOf(registry, "rate_limit_places_in_use{")).toEqual([
      'rate_limit_places_in_use{limiter="api/job",limit="job.inflight"} 1',
    ]);
    expect(await linesOf(registry, "rate_limit_waiting{")).toContain('rate_limit_waiting{limiter="api/login"} 0');
    expect(await linesOf(registry, "rate_limit_near_limit_total{")).toEqual([
      'rate_limit_near_limit_total{limiter="api/login",limit="login.quota"} 1',
      'rate_limit_near_limit_total{limiter="api/job",limit="job.inflight"} 1',
    ]);
    remove();
    await limiter.consume(LOGIN);
    expect(await linesOf(registry, "rate_limit_acquire_total")).toEqual([]);
  });
});

const PLACE = { max: 1, ttl: "30s" } as const;

describe("facts of an adapter", () => {
  const by = (fact: string) => fileOf({ all: { by: fact, quota: "9/1d" } });
  const keyOf = (limits: Limits, facts: Facts) => {
    const [rule] = limits.explain("api", facts);
    return rule?.matches === true ? rule.key : rule?.got;
  };
  class OwnFacts implements HttpFacts {
    readonly method = "GET";
    readonly path = "/a";
    readonly target = "/a?q=x";
    remoteAddress: string | undefined = "::ffff:10.0.0.1";
    readonly headers: Readonly<Record<string, string | undefined>>;
    constructor(headers: Readonly<Record<string, string | undefined>>) {
      this.headers = headers;
    }
    header(name: string): string | undefined {
      return this.headers[name];
    }
  }
  const forwarded = new OwnFacts({ "x-forwarded-for": "192.0.2.9, 192.0.2.1", cookie: "c=d", "x-real": "192.0.2.7" });

  it("name the peer, or the client that trusted proxies name", () => {
    expect(keyOf(createLimits(by("ip"), { trustProxy: false }), forwarded)).toBe("10.0.0.1");
    expect(keyOf(createLimits(by("ip"), { trustProxy: 1 }), forwarded)).toBe("192.0.2.1");
    expect(keyOf(createLimits(by("ip"), { trustProxy: 2 }), forwarded)).toBe("192.0.2.9");
    expect(keyOf(createLimits(by("ip"), { trustProxy: ["192.0.2.1", "10.0.0.0/8"] }), forwarded)).toBe("192.0.2.9");
    const real = createLimits(by("ip"), { trustProxy: 1, addressHeader: "X-Real" });
    expect(keyOf(real, forwarded)).toBe("192.0.2.7");
    expect(keyOf(real, { remoteAddress: "10.0.0.1", header: { "x-real": "2001:db8::9" } })).toBe("2001:db8::/64");
    expect(keyOf(real, { remoteAddress: "10.0.0.1", header: {} })).toBe("10.0.0.1");
    expect(keyOf(real, { ip: "192.0.2.4", remoteAddress: "10.0.0.1", header: { "x-real": "1.2.3.4" } })).toBe(
      "192.0.2.4",
    );
    const gone = new OwnFacts({});
    gone.remoteAddress = undefined;
    expect(keyOf(real, gone)).toBe("unknown");
    expect(() => createLimits(by("ip"), { addressHeader: "x-real" })).toThrow("a trustProxy beside it");
    expect(() => createLimits(by("ip"), { trustProxy: true as never })).toThrow("would trust any address");
  });

  it("have headers, cookies and the query", () => {
    const limits = createLimits(by("header.X-Real"));
    expect(keyOf(limits, forwarded)).toBe("192.0.2.7");
    limits.update(by("cookie.c"));
    expect(keyOf(limits, forwarded)).toBe("d");
    limits.update(by("query.q"));
    expect(keyOf(limits, forwarded)).toBe("x");
    limits.update(by("path"));
    expect(keyOf(limits, forwarded)).toBe("/a");
  });

  it("fit the type of the limiter", () => {
    const limiter: Limiter<Facts> = createLimits(by("path")).limiter("api");
    const inFrontOfAdapters: Limiter<HttpFacts> = limiter;
    expect(inFrontOfAdapters.consume(forwarded).remaining).toBe(8);
  });
});
