import fc from "fast-check";
import { createLimits, type LimitsFile, type MatchWords } from "tollgate/config";
import { describe, expect, it } from "vitest";
import { readPath } from "../../src/config/rules/path-readings.ts";
import { TextPattern } from "../../src/config/rules/text-pattern.ts";
import { countingRules, type PlainFacts } from "./reference/matching.ts";

const FACTS: PlainFacts = {
  ip: "192.0.2.1",
  method: "GET",
  path: "/",
  host: "",
  header: {},
  query: {},
  cookie: {},
  descriptor: {},
};

function fileOf(match: MatchWords): LimitsFile {
  return { version: 1, domains: { api: { limits: { rule: { match, rate: "1/1s" } } } } };
}

function isMatched(match: MatchWords, facts: PlainFacts): boolean {
  return createLimits(fileOf(match)).handle("api", facts).rules.length > 0;
}

describe("a text with wildcards", () => {
  it("matches what the reference matches", () => {
    const letters = fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 14 });
    const patterns = fc.string({ unit: fc.constantFrom("a", "b", "*"), maxLength: 9 });
    const seen = { yes: 0, no: 0 };
    fc.assert(
      fc.property(patterns, letters, (pattern, text) => {
        const facts = { ...FACTS, header: { x: text } };
        const expected = countingRules(fileOf({ "header.x": pattern }), facts).length > 0;
        expect(new TextPattern(pattern).matches(text)).toBe(expected);
        seen[expected ? "yes" : "no"] += 1;
      }),
      { numRuns: 5_000 },
    );
    expect(Math.min(seen.yes, seen.no)).toBeGreaterThan(100);
  });

  it.each([
    ["a text of one letter", "*a*a*a*a*a*a*a*a*b*", "a".repeat(4_096), false],
    ["parts that nearly match", `*${"a".repeat(120)}b*`, "a".repeat(4_096), false],
    ["many stars in a row", `${"*".repeat(250)}b`, "a".repeat(1_000_000), false],
    ["many parts", `${"*ab".repeat(80)}*`, "ab".repeat(2_000), true],
    ["a text that is shorter than its ends", "aba*ba", "aba", false],
  ])("is compared in one pass: %s", (_name, pattern, text, expected) => {
    expect(new TextPattern(pattern).matches(text)).toBe(expected);
  });
});

describe("a path with wildcards", () => {
  it("matches what the reference matches", () => {
    const segment = fc.constantFrom("a", "b", "*", "**");
    const pattern = fc.array(segment, { maxLength: 7 }).map((segments) => `/${segments.join("/")}`);
    const path = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 8 }).map((segments) => `/${segments.join("/")}`);
    fc.assert(
      fc.property(fc.array(pattern, { minLength: 1, maxLength: 4 }), path, (patterns, target) => {
        const facts = { ...FACTS, path: target };
        expect(isMatched({ path: patterns }, facts)).toBe(countingRules(fileOf({ path: patterns }), facts).length > 0);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    ["many double stars", `${"/**/a".repeat(90)}/b`, "/a".repeat(100), false],
    ["double stars that all match", "/**/a".repeat(90), "/a".repeat(100), true],
    ["double stars in a row", `${"/**".repeat(200)}/b`, "/a".repeat(15_000), false],
    ["single stars", "/*".repeat(400), "/a".repeat(400), true],
  ])("is compared in one pass: %s", (_name, pattern, path, expected) => {
    expect(isMatched({ path: pattern }, { ...FACTS, path })).toBe(expected);
  });

  it.each([
    [
      "/login",
      "/login/",
      "//login",
      "/./login",
      "/x/../login",
      "/%6Cogin",
      "/%6c%6f%67in?a=b",
      "/login#x",
      "https://a/login",
    ],
    ["/a%2Fb", "/a%2fb", "/%61%2Fb"],
    ["/%zz", "//%zz/"],
    ["/*", "/login", "/%2F", "/*", "/**"],
    ["/%2A", "/*", "/%2a"],
  ])("is found in every spelling of %s", (pattern, ...spellings) => {
    expect(spellings.filter((path) => !isMatched({ path: pattern }, { ...FACTS, path }))).toEqual([]);
  });

  it.each([
    ["/login", "/Login", "/login/x", "/", "/logi", "login/../"],
    ["/%2A", "/a", "/**"],
    ["/a/*", "/a", "/a/", "/a/b/c"],
    ["/a%2Fb", "/a/b"],
  ])("is not found in other paths than %s", (pattern, ...others) => {
    expect(others.filter((path) => isMatched({ path: pattern }, { ...FACTS, path }))).toEqual([]);
  });

  it.each([
    [
      "/login",
      "/%2Flogin",
      "/.%2flogin",
      "/x%2f..%2flogin",
      "/login%2f",
      "/%2e%2e%2flogin",
      "/%252flogin",
      "/x%252f..%5clogin",
    ],
    [
      "/login",
      "/login;x=1",
      "/;a/login;",
      "/x/..;a/login",
      "/login%3bx",
      "/login;x=%2f..%2fy",
      "/login;/x",
      "/x;%2f../login",
    ],
    ["/login", "/\\login", "/login\\", "/x\\..\\login", "/%5clogin", "//host/login", "/\\host\\login"],
    ["/a/login", "/a//../login", "/a;x%2f../%2flogin", "/a%2flogin", "/a/;x/%2e%2e/login"],
    ["/x/**", "/x/../login", "/x/%2e%2E/login"],
    ["/v1/*/b", "/v1/a%2f..%2fc/b", "/v1/%2e%2e;/b"],
  ])("is found by what any server makes of a path: %s", (pattern, ...spellings) => {
    expect(spellings.filter((path) => !isMatched({ path: pattern }, { ...FACTS, path }))).toEqual([]);
  });

  it.each([
    ["/login", "/login%252x", "/xlogin;", "/a;/login", "/login%2fx", "/;login", "/log;in", "/login\\x"],
    ["/a", "/a%20b", "/b;a", "/%61%62"],
  ])("is not found in what no server reads as %s", (pattern, ...others) => {
    expect(others.filter((path) => isMatched({ path: pattern }, { ...FACTS, path }))).toEqual([]);
  });

  it("makes one key of the spellings of a path", () => {
    const limits = createLimits({ version: 1, domains: { api: { limits: { path: { by: "path", rate: "1/1h" } } } } });
    const spellings = ["/login", "/login;x=1", "/login;x=2", "/%2flogin", "/x/..%2flogin/", "//login", "/\\login"];
    expect(spellings.map((path) => limits.consume("api", { path }).allowed)).toEqual([true, ...Array(6).fill(false)]);
  });

  it.each(["keys", "plan"])("exempts a path of %s if it has one reading, and denies in any", (word) => {
    const choices = { "/health": "unlimited", "/admin": "deny", "/a/admin": "deny" } as const;
    const rule = word === "keys" ? { keys: choices } : { plans: { from: "path", is: choices } };
    const limits = createLimits({
      version: 1,
      domains: { api: { limits: { path: { by: "path", rate: "1/1h", ...rule } } } },
    });
    const chosen = (path: string) => {
      const [said] = limits.explain("api", { path });
      return said?.matches === true ? (said.chosen ?? "rule") : undefined;
    };
    expect(["/health", "/health?a", "/health%61"].map(chosen)).toEqual(["/health", "/health", "rule"]);
    expect(["/login/..%2fhealth", "/health;a", "//health", "/health/.."].map(chosen)).toEqual(Array(4).fill("rule"));
    expect(["/admin;a", "/%2fadmin", "/x/../admin"].map(chosen)).toEqual(Array(3).fill("/admin"));
    expect(chosen("/a//../admin")).toBe("/admin");
    expect(chosen("/b//../a//x/../admin")).toBe("/a/admin");
  });

  it("has few readings, however a path is built", () => {
    for (const part of ["/a", "/..;%2f%252f\\", "%25", ";%3b/../", "//..%5c%2e;"]) {
      const { readings } = readPath(`/${part.repeat(200)}`, false);
      expect(readings.length).toBeLessThanOrEqual(16);
    }
    expect(readPath("/v1/chat/a.b/.well-known/%20c?d=%2f;e", false).readings).toHaveLength(1);
  });

  it("may ignore case", () => {
    const file: LimitsFile = {
      version: 1,
      domains: {
        api: { ignoreCase: true, limits: { rule: { match: { path: "/Log%49n/*" }, by: "path", rate: "1/1m" } } },
      },
    };
    const limits = createLimits(file);
    expect(limits.consume("api", { path: "/LOGIN/A" }).allowed).toBe(true);
    expect(limits.consume("api", { path: "/login/a" }).allowed).toBe(false);
  });
});
