import { memoryStore, TollgateError } from "tollgate";
import { createLimits, type Limits, type LimitsFile, type RuleWords } from "tollgate/config";
import { type ManualClock, manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { EVERY_STORE } from "../limiter/every-store.ts";
import { AsyncTwin } from "../testing/async-twin.ts";

const START_MS = Date.UTC(2026, 0, 15, 12);
const ANN = { ip: "192.0.2.1", header: { "x-api-key": "k-1" } };

function fileOf(limits: Readonly<Record<string, RuleWords>>): LimitsFile {
  return { version: 1, trustedHeaders: ["x-plan"], domains: { api: { limits } } };
}

describe.each(EVERY_STORE)("limits of a file, over %s", (_name, storeOf) => {
  function setUp(limits: Readonly<Record<string, RuleWords>>): {
    readonly limits: Limits<"async">;
    readonly clock: ManualClock;
  } {
    const clock = manualClock(START_MS);
    // Both kinds are awaited.
    return { limits: createLimits(fileOf(limits), { store: storeOf(), clock }) as unknown as Limits<"async">, clock };
  }

  it("counts each word by its algorithm", async () => {
    const { limits, clock } = setUp({ all: { by: "ip", rate: "2/10s", burst: 4, within: "5/1m", quota: "6/1h" } });
    const { limits: all } = await limits.peek("api", ANN);
    expect(all.map(({ name, algorithm, capacity }) => [name, algorithm, capacity])).toEqual([
      ["all.rate", "token-bucket", 4],
      ["all.within", "sliding-window", 5],
      ["all.quota", "fixed-window", 6],
    ]);
    expect((await limits.consume("api", ANN, 4)).allowed).toBe(true);
    expect(await limits.consume("api", ANN)).toMatchObject({ allowed: false, limiter: "api/all", retryAfterMs: 5_000 });
    clock.advance(5_000);
    expect((await limits.consume("api", ANN)).allowed).toBe(true);
    clock.advance(5_000);
    expect(await limits.consume("api", ANN)).toMatchObject({ allowed: false, limit: { name: "all.within" } });
  });

  it("counts quotas by the calendar of a zone", async () => {
    const { limits, clock } = setUp({ plan: { by: "ip", quota: ["9/month in Europe/Berlin", "5/day", "8/week"] } });
    const { limits: all } = await limits.peek("api", ANN);
    expect(all).toMatchObject([
      { name: "plan.quota", window: "month", timeZone: "Europe/Berlin", capacity: 9 },
      { name: "plan.quota#2", window: "day", timeZone: "UTC", capacity: 5 },
      { name: "plan.quota#3", window: "week", timeZone: "UTC", capacity: 8 },
    ]);
    expect((await limits.consume("api", ANN, 5)).allowed).toBe(true);
    clock.set(Date.UTC(2026, 0, 16));
    expect(await limits.consume("api", ANN, 4)).toMatchObject({ allowed: false, limit: { name: "plan.quota#3" } });
    // A Monday.
    clock.set(Date.UTC(2026, 0, 19));
    expect((await limits.consume("api", ANN, 4)).allowed).toBe(true);
    clock.set(Date.UTC(2026, 0, 31, 22, 59, 59));
    expect(await limits.consume("api", ANN)).toMatchObject({ allowed: false, retryAfterMs: 1_000 });
    clock.advance(1_000);
    expect((await limits.consume("api", ANN)).allowed).toBe(true);
  });

  it("has several amounts of a word, with names that keep their place", async () => {
    const { limits } = setUp({ r: { within: ["2/1m", "3/1h"], rate: { requests: "9/1s", tokens: ["5/1s", "6/1m"] } } });
    const { limits: all } = await limits.peek("api", {});
    expect(all.map(({ name, unit }) => [name, unit])).toEqual([
      ["r.rate", "requests"],
      ["r.rate.tokens", "tokens"],
      ["r.rate.tokens#2", "tokens"],
      ["r.within", "requests"],
      ["r.within#2", "requests"],
    ]);
  });

  it("takes a place by reserve until it is settled", async () => {
    const { limits } = setUp({ r: { by: "ip", rate: "9/1m", inflight: { max: 1, ttl: "30s" } } });
    const first = await limits.reserve("api", ANN);
    expect((await limits.reserve("api", ANN)).decision).toMatchObject({
      allowed: false,
      limit: { name: "r.inflight" },
    });
    await first.settle(3);
    const second = await limits.reserve("api", ANN);
    expect(second.decision).toMatchObject({ allowed: true, remaining: 0 });
    await second.cancel();
    expect((await limits.peek("api", ANN, 6)).allowed).toBe(true);
    await expect(async () => limits.consume("api", ANN)).rejects.toThrow("reserve");
  });

  it("blocks a key that exhausts a limit, and unblocks it", async () => {
    const { limits, clock } = setUp({
      login: { by: "ip", within: "1/1m", blockFor: "10m" },
      other: { quota: "99/1d" },
    });
    await limits.consume("api", ANN);
    expect(await limits.consume("api", ANN)).toMatchObject({ allowed: false });
    clock.advance(60_000);
    expect(await limits.consume("api", ANN)).toMatchObject({ allowed: false, reason: "blocked", limiter: "api/login" });
    expect(await limits.byKey("api", "login", "192.0.2.1").blockedUntil()).toBe(START_MS + 600_000);
    expect(await limits.unblock("api", ANN)).toBe(true);
    expect((await limits.consume("api", ANN)).allowed).toBe(true);
    await limits.byKey("api", "login", "192.0.2.1").reset();
    expect((await limits.consume("api", ANN)).allowed).toBe(true);
    await limits.block("api", ANN, "1m", { reason: "why" });
    expect(await limits.peek("api", ANN)).toMatchObject({ allowed: false, block: { reason: "why" } });
    await limits.byKey("api", "login", "192.0.2.1").unblock();
    await limits.reset("api", ANN);
    expect(await limits.peek("api", ANN)).toMatchObject({ allowed: false, limiter: "api/other" });
  });

  it("asks the file what a request costs, unless the caller says it", async () => {
    const { limits } = setUp({
      r: {
        by: "ip",
        rate: { requests: "10/1d", tokens: "1000/1d" },
        cost: { requests: 2, tokens: { from: "header.x-tokens", otherwise: 50 } },
      },
    });
    const used = async (tokens: string | undefined, cost?: Parameters<typeof limits.consume>[2]) => {
      await limits.reset("api", ANN);
      await limits.consume("api", { ...ANN, header: { "x-tokens": tokens } }, cost);
      return [await usedOf("requests", 10), await usedOf("tokens", 1_000)];
    };
    /** By asking for less and less. */
    const usedOf = async (unit: "requests" | "tokens", capacity: number): Promise<number> => {
      for (let left = capacity; left > 0; left -= 1) {
        if ((await limits.peek("api", ANN, { requests: 0, tokens: 0, [unit]: left })).allowed) return capacity - left;
      }
      return capacity;
    };
    expect(await used("300")).toEqual([2, 300]);
    expect(await used(undefined)).toEqual([2, 50]);
    expect(await used("1e2")).toEqual([2, 50]);
    expect(await used("-5")).toEqual([2, 50]);
    expect(await used("7", 3)).toEqual([3, 7]);
    expect(await used("7", { tokens: 9 })).toEqual([2, 9]);
  });

  it("lets rules of one request cost differently, under units of their own", async () => {
    const { limits } = setUp({
      client: { by: "ip", quota: "100/1d" },
      search: { quota: "100/1d", cost: 5 },
      points: { quota: { points: "100/1d" }, cost: { points: 7 } },
      others: { quota: { points: "100/1d" }, cost: { points: 9 } },
    });
    const left = async (cost: number | Record<string, number>) => (await limits.peek("api", ANN, cost)).allowed;
    const decision = await limits.consume("api", ANN);
    expect(decision.limits.map(({ unit }) => unit)).toEqual([
      "requests",
      "requests@search",
      "points@points",
      "points@others",
    ]);
    expect([await left({ requests: 0, points: 91 }), await left({ requests: 0, points: 92 })]).toEqual([true, false]);
    expect([await left({ requests: 95, points: 0 }), await left({ requests: 96, points: 0 })]).toEqual([true, false]);
    await limits.refund("api", ANN, { points: 2 }, decision);
    expect([await left({ requests: 0, points: 93 }), await left({ requests: 0, points: 94 })]).toEqual([true, false]);
    const reservation = await limits.reserve("api", ANN);
    await reservation.settle({ points: 1 });
    expect([await left({ requests: 0, points: 92 }), await left({ requests: 0, points: 93 })]).toEqual([true, false]);
    expect([await left({ requests: 90, points: 0 }), await left({ requests: 91, points: 0 })]).toEqual([true, false]);
  });

  it("carries counts over to other numbers, plans and words around them", async () => {
    const { limits } = setUp({ r: { by: "header.x-api-key", quota: "10/1d" } });
    await limits.consume("api", ANN, 8);
    limits.update(fileOf({ before: { rate: "99/1s" }, r: { by: "header.x-api-key", rate: "50/1s", quota: "20/1d" } }));
    expect((await limits.peek("api", ANN, 13)).allowed).toBe(false);
    expect((await limits.consume("api", ANN, 12)).allowed).toBe(true);
    limits.update(fileOf({ r: { by: "header.x-api-key", quota: "1/1d", keys: { "k-1": { quota: "30/1d" } } } }));
    expect(
      [await limits.peek("api", ANN, 10), await limits.peek("api", ANN, 11)].map(({ allowed }) => allowed),
    ).toEqual([true, false]);
  });

  it("goes on with the version of the file in which a call began", async () => {
    const { limits } = setUp({ r: { by: "ip", quota: "10/1d" } });
    const call = limits.handle("api", ANN);
    await call.consume(4);
    const reservation = await limits.reserve("api", ANN, 2);
    limits.update(fileOf({ other: { by: "ip", quota: "5/1d" } }));
    expect(call.rules).toEqual(["r"]);
    await reservation.settle(1);
    await call.refund(1);
    expect((await call.peek(6)).allowed).toBe(true);
    expect((await call.peek(7)).allowed).toBe(false);
    expect((await limits.peek("api", ANN, 5)).allowed).toBe(true);
  });

  it("keeps the file before if the next one is wrong", async () => {
    const { limits } = setUp({ r: { by: "ip", quota: "10/1d" } });
    expect(() => limits.update(fileOf({ r: { by: "ip" } }))).toThrow("limits: domains.api.limits.r: expected a limit");
    expect((await limits.consume("api", ANN, 10)).allowed).toBe(true);
    expect((await limits.consume("api", ANN)).allowed).toBe(false);
  });

  it("allows requests that no rule counts, and counts nothing", async () => {
    const { limits } = setUp({ r: { match: { path: "/x" }, quota: "1/1d" }, s: { by: "cookie.c", quota: "1/1d" } });
    expect(await limits.consume("api", ANN)).toMatchObject({
      allowed: true,
      limits: [],
      remaining: Number.POSITIVE_INFINITY,
    });
    expect(limits.handle("api", ANN).rules).toEqual([]);
    await limits.block("api", ANN, "1m");
    expect((await limits.consume("api", ANN)).allowed).toBe(true);
    expect(await limits.unblock("api", ANN)).toBe(false);
  });

  it("shadows a rule", async () => {
    const { limits } = setUp({
      r: { by: "ip", quota: "1/1d", mode: "shadow", keys: { "192.0.2.9": "deny" } },
    });
    await limits.consume("api", ANN);
    expect(await limits.consume("api", ANN)).toMatchObject({ allowed: true, shadowDenied: [{ name: "r.quota" }] });
    expect((await limits.consume("api", { ip: "192.0.2.9" })).allowed).toBe(true);
  });
});

describe("limits of a file", () => {
  it("reject over an asynchronous store what they throw over another", async () => {
    const sync = createLimits(fileOf({ r: { rate: "1/1s" } }));
    const asynchronous = createLimits(fileOf({ r: { rate: "1/1s" } }), { store: new AsyncTwin(memoryStore()) });
    expect(() => sync.consume("apis", {})).toThrow(
      'domain: expected one that the limits file has, got "apis"; did you mean "api"?',
    );
    await expect(asynchronous.consume("apis", {})).rejects.toThrow(TollgateError);
    await expect(asynchronous.consume("api", {}, -1)).rejects.toThrow("cost");
    expect(() => sync.byKey("api", "s", "x")).toThrow("rule: expected one that the limits file has");
    expect(sync.domains).toEqual(["api"]);
    sync.close();
    await asynchronous.close();
  });

  it("are kept by domain: a file that changes one domain leaves the limiters of the others", () => {
    const domain = (rate: `${number}/${string}`) => ({ limits: { r: { by: "ip", rate } } });
    const limits = createLimits({ version: 1, domains: { a: domain("5/1h"), b: domain("5/1h") } });
    for (const name of limits.domains) limits.consume(name, ANN, 3);
    limits.update({ version: 1, domains: { a: domain("5/1h"), b: domain("9/1h"), c: domain("1/1h") } });
    expect(limits.domains.map((name) => limits.peek(name, ANN, 0).remaining)).toEqual([2, 6, 1]);
  });

  it("read facts from functions, from objects of Node and from the target", () => {
    const by = ["host", "query.q", "cookie.c", "header.x"];
    const limits = createLimits(fileOf({ r: { by, rate: "1/1s" } }));
    const keyOf = (facts: Parameters<typeof limits.explain>[1]) => {
      const [rule] = limits.explain("api", facts);
      return rule?.matches === true ? rule.key : rule;
    };
    const header = { host: "API.example.com:8080", cookie: 'a=b; c="%6B"', x: ["1", "2"] };
    const facts = ["api.example.com", "x y", "k"];
    // A list is a header with several lines.
    expect(keyOf({ path: "/a?q=x+y#q", header })).toEqual([...facts, "several values"]);
    expect(keyOf({ path: "/a?q=x+y", header: (name) => String(header[name as "x"]).replace(",", ", ") })).toEqual([
      ...facts,
      "1, 2",
    ]);
    expect(keyOf({ host: "[::1]:80", query: { q: "x" }, cookie: { c: "y" }, header: { x: "z" } })).toEqual([
      "[::1]",
      "x",
      "y",
      "z",
    ]);
    expect(keyOf({ path: "/a", header })).toMatchObject({ matches: false, word: "by", expected: "query.q", got: "" });
  });

  it("count clients without an address as one, and hash long values", () => {
    const limits = createLimits(fileOf({ ip: { by: "ip", quota: "2/1d" } }));
    expect([{}, { ip: "no address" }, { ip: "" }].map((facts) => limits.consume("api", facts).allowed)).toEqual([
      true,
      true,
      false,
    ]);
    const keyed = createLimits(fileOf({ key: { by: "header.x", quota: "1/1d" } }));
    const [rule] = keyed.explain("api", { header: { x: "a".repeat(5_000) } });
    expect(rule).toMatchObject({ matches: true, key: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) as unknown });
  });

  it("make their sets of rules anew when clients have chosen too many", () => {
    const rules = Array.from({ length: 13 }, (_, i): [string, RuleWords] => [
      `r${i}`,
      { match: { [`header.x${i}`]: "*" }, quota: "20000/1d" },
    ]);
    const limits = createLimits(fileOf(Object.fromEntries(rules)));
    let counted = 0;
    for (let set = 0; set < 2 ** 13; set += 1) {
      const header = Object.fromEntries(rules.map((_, i) => [`x${i}`, (set >> i) % 2 === 0 ? "" : "1"]));
      const decision = limits.consume("api", { header });
      if (decision.limits.length > 0) counted += 1;
    }
    expect(counted).toBe(2 ** 13 - 1);
    expect(limits.peek("api", { header: { x3: "1" } }, 0).remaining).toBe(20_000 - 2 ** 12);
  });
});
