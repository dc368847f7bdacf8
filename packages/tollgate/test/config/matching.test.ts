import fc from "fast-check";
import { createLimits } from "tollgate/config";
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
