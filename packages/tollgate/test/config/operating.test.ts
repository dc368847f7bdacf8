import { createLimits, type Limits, type LimitsFile, type RuleWords } from "tollgate/config";
import { type ManualClock, manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { EVERY_STORE } from "../limiter/every-store.ts";

const START_MS = Date.UTC(2026, 0, 15, 12);
const ANN = { ip: "192.0.2.1" };

function fileOf(limits: Readonly<Record<string, RuleWords>>): LimitsFile {
  return { version: 1, domains: { api: { limits } } };
}

describe.each(EVERY_STORE)("an operator of limits over %s", (_name, storeOf) => {
  function setUp(limits: Readonly<Record<string, RuleWords>>): {
    readonly limits: Limits<"async">;
    readonly clock: ManualClock;
  } {
    const clock = manualClock(START_MS);
    // Both kinds are awaited.
    return { limits: createLimits(fileOf(limits), { store: storeOf(), clock }) as unknown as Limits<"async">, clock };
  }

  it("turns a rule off and on again, and its keys keep what they have used", async () => {
    const rules: Record<string, RuleWords> = {
      login: { by: "ip", within: "2/1h", cost: { points: 3 }, quota: { points: "9/1d" } },
      other: { by: "ip", quota: "99/1d" },
    };
    const { limits } = setUp(rules);
    await limits.consume("api", ANN);
    await limits.consume("api", ANN);
    expect(await limits.consume("api", ANN)).toMatchObject({ allowed: false, limiter: "api/login" });
    limits.update(fileOf({ ...rules, login: { ...rules["login"], mode: "off" } }));
    expect(await limits.consume("api", ANN)).toMatchObject({ allowed: true, limiter: "api/other", remaining: 96 });
    expect(limits.explain("api", ANN)[0]).toEqual({
      rule: "login",
      matches: false,
      word: "mode",
      expected: "enforce or shadow",
      got: "off",
    });
    limits.update(fileOf(rules));
    expect(await limits.consume("api", ANN)).toMatchObject({ allowed: false, limiter: "api/login" });
  });

  it("loses no count of rules whose costs differ when one of them is turned off", async () => {
    const rules: Record<string, RuleWords> = {
      five: { match: { path: "/five" }, by: "ip", quota: "20/1d", cost: 5 },
      seven: { match: { path: "/seven" }, by: "ip", quota: "20/1d", cost: 7 },
    };
    const { limits } = setUp(rules);
    await limits.consume("api", { ...ANN, path: "/seven" });
    limits.update(fileOf({ ...rules, five: { ...rules["five"], mode: "off" } }));
    expect(await limits.peek("api", { ...ANN, path: "/seven" })).toMatchObject({ remaining: 6 });
  });

  it("ends no block by turning the rule off", async () => {
    const { limits } = setUp({ all: { by: "ip", rate: "9/1m", mode: "off" } });
    await limits.byKey("api", "all", "192.0.2.1").block("10m");
    expect(await limits.consume("api", ANN)).toMatchObject({ allowed: true, limit: undefined });
    limits.update(fileOf({ all: { by: "ip", rate: "9/1m" } }));
    expect(await limits.consume("api", ANN)).toMatchObject({ allowed: false, reason: "blocked" });
  });

  it.each<[string, RuleWords, object, string | readonly string[]]>([
    ["an address of a /64", { by: "ip" }, { ip: "2001:db8::1" }, "2001:DB8::ffff"],
    ["a network", { by: "ip" }, { ip: "2001:db8::1" }, "2001:db8::/64"],
    ["a host", { by: "host" }, { host: "example.com:80" }, "Example.COM."],
    ["a long value", { by: "header.a" }, { header: { a: "x".repeat(300) } }, "x".repeat(300)],
    ["several facts", { by: ["ip", "header.a"] }, { ip: "2001:db8::1", header: { a: "b" } }, ["2001:db8::2", "b"]],
    ["a list of one", { by: "ip" }, ANN, ["192.0.2.1"]],
    ["no fact", {}, {}, []],
    ["no fact, by its name", {}, {}, "all"],
  ])("finds the key of a request with %s", async (_what, words, facts, key) => {
    const { limits } = setUp({ rule: { ...words, quota: "1/1d" } });
    await limits.consume("api", facts);
    expect(await limits.byKey("api", "rule", key).explain()).toMatchObject([{ used: 1 }]);
    await limits.byKey("api", "rule", key).reset();
    expect(await limits.peek("api", facts)).toMatchObject({ allowed: true });
  });
});
