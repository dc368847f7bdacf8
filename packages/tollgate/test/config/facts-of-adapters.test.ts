import type { Limiter } from "tollgate";
import { createLimits, type Facts, type Limits, type RuleWords } from "tollgate/config";
import type { HttpFacts } from "tollgate/node";
import { describe, expect, it } from "vitest";
import { fileOf } from "./domain-set-up.ts";

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
    expect(keyOf(real, { remoteAddress: "10.0.0.1", header: {} })).toBe("unknown");
    expect(keyOf(real, { remoteAddress: "10.0.0.1", header: { "x-real": "garbage" } })).toBe("unknown");
    const cut = {
      remoteAddress: "10.0.0.1",
      header: { "x-real": "1.2.3.4" },
      lines: () => "dropped" as const,
    };
    expect(keyOf(real, cut)).toBe("unknown");
    expect(keyOf(real, { ip: "192.0.2.4", remoteAddress: "10.0.0.1", header: { "x-real": "1.2.3.4" } })).toBe(
      "192.0.2.4",
    );
    const gone = new OwnFacts({});
    gone.remoteAddress = undefined;
    expect(keyOf(real, gone)).toBe("unknown");
    expect(() => createLimits(by("ip"), { addressHeader: "x-real" })).toThrow("a trustProxy beside it");
    expect(() => createLimits(by("ip"), { trustProxy: true as never })).toThrow("would trust any address");
  });

  it("have one key for all that have several lines of a header", () => {
    const limits = createLimits(by("header.x-api-key"));
    const facts = (...lines: string[]): Facts => ({ header: { "x-api-key": lines } });
    const counted = (value: string): Facts => ({ header: () => value, lines: () => [value, "b"] });
    expect(keyOf(limits, facts("a", "b1"))).toBe("several values");
    expect([facts("a", "b2"), counted("a"), counted("a, b3")].map((one) => keyOf(limits, one))).toEqual(
      Array(3).fill("several values"),
    );
    expect([facts("a"), { ...counted("a"), lines: () => ["a"] }].map((one) => keyOf(limits, one))).toEqual(["a", "a"]);
    limits.update(fileOf({ all: { by: ["header.x-api-key", "header.b"], quota: "9/1d" } }));
    expect(keyOf(limits, { header: { "x-api-key": ["a", "b1"], b: "c" } })).toEqual(["several values", "c"]);
  });

  it("count under a key that several lines, cookies or parameters share, and not as missing", () => {
    const authorization: Facts = { header: () => "", lines: () => ["", "Bearer a"] };
    expect(keyOf(createLimits(by("header.authorization")), authorization)).toBe("several values");
    const cookies = createLimits(by("cookie.s"));
    const sent: Facts[] = [
      { header: { cookie: "s=real; s=x1" } },
      { header: () => "s=; s=x2" },
      { cookie: { s: ["real", "x3"] } },
      { header: { cookie: ["s=real", "s=x4"] } },
    ];
    expect(sent.map((one) => keyOf(cookies, one))).toEqual(Array(4).fill("several values"));
    expect(keyOf(cookies, { header: { cookie: 's=%61; t=b; s="%61"' } })).toBe("a");
    expect(keyOf(cookies, { header: { cookie: ["t=b", "s=a"] } })).toBe("a");
    const queries = createLimits(by("query.k"));
    const targets: Facts[] = [{ path: "/?k=real&k=x1" }, { target: "/?k=&k=x2" }, { query: { k: ["real", "x3"] } }];
    expect(targets.map((one) => keyOf(queries, one))).toEqual(Array(3).fill("several values"));
    expect(keyOf(queries, { path: "/?k=a&k=%61" })).toBe("a");
    expect(keyOf(createLimits(by("host")), { header: () => "a", lines: () => ["a", "b"] })).toBe("several values");
  });

  it("have one method, however it is spelled", () => {
    const limits = createLimits(fileOf({ login: { match: { method: "POST" }, by: "method", quota: "1/1d" } }));
    const isAllowed = (method: string) => limits.consume("api", { method }).allowed;
    expect(["post", "POST", "pOsT"].map(isAllowed)).toEqual([true, false, false]);
    limits.byKey("api", "login", "post").reset();
    expect(isAllowed("Post")).toBe(true);
  });

  it("match a rule by any of several values, and by all of them joined", () => {
    const match = { "header.x": ["b", "a, b"], "cookie.c": "*bot*", "query.q": "2" };
    const limits = createLimits(fileOf({ bots: { match, limit: "deny" } }));
    const cookie = "c=a; c=robots";
    const isDenied = (x: readonly string[], path: string) =>
      !limits.consume("api", { header: { x, cookie }, path }).allowed;
    expect([isDenied(["a", "b"], "/?q=1&q=2"), isDenied(["b"], "/?q=2"), isDenied(["a", "c"], "/?q=2")]).toEqual([
      true,
      true,
      false,
    ]);
    expect([isDenied(["b"], "/?q=1&q=3"), isDenied(["b"], "/?q=12"), isDenied([], "/?q=2")]).toEqual(
      Array(3).fill(false),
    );
    const header = (name: string) => (name === "x" ? "a" : cookie);
    const lines = (name: string) => (name === "x" ? ["a", "b"] : undefined);
    expect(limits.consume("api", { header, lines, path: "/?q=2" }).allowed).toBe(false);
  });

  it("match any rule by more than 16 values, and are denied in place of many exact ones", () => {
    const rules: Record<string, RuleWords> = {
      bots: { match: { "query.q": "*bot*" }, quota: "9/1d" },
      tools: { match: { "query.q": ["tool-*", "*-tool"] }, quota: "9/1d" },
      one: { match: { "query.q": "1x" }, quota: "9/1d" },
      other: { match: { "query.q": "2x" }, quota: "9/1d" },
    };
    const query = (count: number) => `/?${Array.from({ length: count }, (_, i) => `q=${i}`).join("&")}`;
    const rulesOf = (path: string, file = rules) => createLimits(fileOf(file)).handle("api", { path }).rules;
    expect([rulesOf(query(16)), rulesOf(query(17))]).toEqual([[], ["bots", "tools", "many-values"]]);
    expect(createLimits(fileOf(rules)).consume("api", { path: query(17) })).toMatchObject({ reason: "denied" });
    const { one } = rules;
    expect(rulesOf(query(17), { one: { ...one!, mode: "shadow" } })).toEqual([]);
    expect(rulesOf("/", { one: { match: { "header.x": "1" }, quota: "9/1d" } })).toEqual([]);
    const dropped: Facts = { header: () => "2", lines: () => "dropped" };
    const limits = createLimits(fileOf({ one: { match: { "header.x": "1" }, quota: "9/1d" } }));
    expect(limits.handle("api", dropped).rules).toEqual(["many-values"]);
  });

  it("pass no rule with keys if they have several lines of its header", () => {
    const limits = createLimits(fileOf({ all: { by: "header.x-api-key", quota: "9/1d", keys: { a: "deny" } } }));
    const decide = (...lines: string[]) => limits.consume("api", { header: { "x-api-key": lines } }).allowed;
    expect([decide("b"), decide("b", "a"), decide("c", "b")]).toEqual([true, false, false]);
  });

  it("fit the type of the limiter", () => {
    const limiter: Limiter<Facts> = createLimits(by("path")).limiter("api");
    const inFrontOfAdapters: Limiter<HttpFacts> = limiter;
    expect(inFrontOfAdapters.consume(forwarded).remaining).toBe(8);
  });
});
