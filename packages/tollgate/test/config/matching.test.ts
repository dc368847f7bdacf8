import fc from "fast-check";
import { createLimits, type Facts } from "tollgate/config";
import { describe, expect, it } from "vitest";
import { factsArbitrary } from "./facts-arbitrary.ts";
import { limitsFileArbitrary } from "./limits-file-arbitrary.ts";
import { type Counting, countingRules } from "./reference/matching.ts";

const facts = fc.array(factsArbitrary(), { minLength: 1, maxLength: 12 });

describe("the rules that count a request", () => {
  it("are those of the reference, with its keys and its choices", () => {
    const seen = { counting: 0, plans: 0, keys: 0 };
    fc.assert(
      fc.property(limitsFileArbitrary(), facts, (file, requests) => {
        const limits = createLimits(file);
        for (const request of requests) {
          const expected = countingRules(file, request);
          const explained = limits.explain("api", request).filter((rule) => rule.matches);
          const got = explained.map(({ rule, key, chosenBy, chosen }) => ({ rule, key, chosenBy, chosen }));
          expect(got).toEqual(expected.map(withoutChoice));
          seen.counting += expected.length;
          for (const { chosenBy } of expected) if (chosenBy !== "rule") seen[`${chosenBy}s`] += 1;
        }
        limits.close();
      }),
      { numRuns: 400 },
    );
    expect(Math.min(seen.counting, seen.plans, seen.keys)).toBeGreaterThan(50);
  });

  it("are found by the index, however many others there are", () => {
    fc.assert(
      fc.property(limitsFileArbitrary(40), facts, (file, requests) => {
        const limits = createLimits(file);
        for (const request of requests) {
          const expected = countingRules(file, request).map(({ rule }) => rule);
          expect(limits.handle("api", request).rules).toEqual(expected);
        }
        limits.close();
      }),
      { numRuns: 150 },
    );
  });
});

function withoutChoice({ rule, key, chosenBy, chosen }: Counting): Omit<Counting, "choice"> {
  return { rule, key, chosenBy, chosen };
}

describe("facts that no rule could read", () => {
  const rules = {
    user: { by: "header.x-user", quota: "9/1d" },
    query: { by: "query.q", quota: "9/1d" },
    path: { match: { path: "/a" }, quota: "9/1d" },
  } as const;
  const limits = createLimits({ version: 1, domains: { api: { limits: rules } } });
  const values = "expected an object of values by name, or a function of a name";

  it.each([
    ["nothing", undefined, "facts: expected an object such as { ip, method, path, header }, got undefined"],
    ["a text", "192.0.2.1", "facts: expected an object such as { ip, method, path, header }"],
    ["headers of the web", { header: new Headers({ "x-user": "ann" }) }, `facts.header: ${values}`],
    ["a map of headers", { header: new Map([["x-user", "ann"]]) }, `facts.header: ${values}`],
    ["no headers", { header: null }, `facts.header: ${values}`],
    ["search parameters", { query: new URLSearchParams("q=x") }, `facts.query: ${values}`],
    ["a query as text", { query: "q=x" }, `facts.query: ${values}`],
    ["a URL as the path", { path: new URL("https://api.example/a") }, "facts.path: expected the path as text"],
  ])("are refused, because their request would not be counted: %s", (_what, given, message) => {
    for (const ask of [
      () => limits.consume("api", given as Facts),
      () => limits.consumeAll("api", [{ facts: given as Facts }]),
    ])
      expect(ask).toThrow(expect.objectContaining({ code: "ERR_OPTION", message: expect.stringContaining(message) }));
  });

  it("are refused where there is no list of requests", () => {
    expect(() => limits.consumeAll("api", { facts: {} } as never)).toThrow(
      "consumeAll: expected a list of { facts, cost }, got an object",
    );
    expect(limits.consume("api", { header: { get: "a header" }, path: "/a" }).limiter).toBe("api/path");
  });
});
