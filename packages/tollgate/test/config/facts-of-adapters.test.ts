import type { Limiter } from "tollgate";
import { createLimits, type Facts, type Limits } from "tollgate/config";
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
      lineCount: () => Number.POSITIVE_INFINITY,
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
    const counted = (value: string): Facts => ({ header: () => value, lineCount: () => 2 });
    expect(keyOf(limits, facts("a", "b1"))).toBe("several lines");
    expect([facts("a", "b2"), counted("a"), counted("a, b3")].map((one) => keyOf(limits, one))).toEqual(
      Array(3).fill("several lines"),
    );
    expect([facts("a"), { ...counted("a"), lineCount: () => 1 }].map((one) => keyOf(limits, one))).toEqual(["a", "a"]);
    limits.update(fileOf({ all: { by: ["header.x-api-key", "header.b"], quota: "9/1d" } }));
    expect(keyOf(limits, { header: { "x-api-key": ["a", "b1"], b: "c" } })).toEqual(["several lines", "c"]);
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
