import fc from "fast-check";
import { createLimits, type LimitsFile, type MatchWords } from "tollgate/config";
import { describe, expect, it } from "vitest";
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
    ["a text of one letter", "*a*a*a*a*a*a*a*a*b*", "a".repeat(1_000_000), false],
    ["parts that nearly match", `*${"a".repeat(120)}b*`, "a".repeat(1_000_000), false],
    ["many stars in a row", `${"*".repeat(250)}b`, "a".repeat(1_000_000), false],
    ["many parts", `${"*ab".repeat(80)}*`, "ab".repeat(500_000), true],
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
    ["many double stars", `${"/**/a".repeat(100)}/b`, "/a".repeat(50_000), false],
    ["double stars that all match", "/**/a".repeat(100), "/a".repeat(50_000), true],
    ["double stars in a row", `${"/**".repeat(200)}/b`, "/a".repeat(50_000), false],
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
    ["/login", "/Login", "/login/x", "/", "/logi", "/%2Flogin", "login/../"],
    ["/%2A", "/a", "/**"],
    ["/a/*", "/a", "/a/", "/a/b/c"],
    ["/a%2Fb", "/a/b"],
  ])("is not found in other paths than %s", (pattern, ...others) => {
    expect(others.filter((path) => isMatched({ path: pattern }, { ...FACTS, path }))).toEqual([]);
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
