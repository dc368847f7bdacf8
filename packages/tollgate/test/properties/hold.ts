import fc from "fast-check";
import { it } from "vitest";
import { ALL_PROPERTIES } from "./all-properties.ts";
import type { NamedProperty } from "./named-property.ts";

/** Cases in a run of all properties: some seconds' worth in the quick tier, a minute's worth in the deep one. */
const ALL_CASES = { quick: 6_000, deep: 60_000 } as const;
/** TOLLGATE_CASES sets another number for either tier. */
const OTHER_CASES = process.env["TOLLGATE_CASES"];
/** With TOLLGATE_SHRINK=no a failing case is not shrunk. */
const END_ON_FAILURE = process.env["TOLLGATE_SHRINK"] === "no";
/** The same cases in every run; `npm run fuzz` tries others. */
const SEED = 1;
const TIMEOUT_MS = 600_000;

const TOTAL_WEIGHT = ALL_PROPERTIES.reduce((sum, { weight }) => sum + weight, 0);

/** Tests that the properties hold. Each property gets its share of the tier's cases by its weight. */
export function hold(properties: readonly NamedProperty[], tier: keyof typeof ALL_CASES): void {
  const allCases = OTHER_CASES === undefined ? ALL_CASES[tier] : Number(OTHER_CASES);
  for (const { name, weight, property } of properties) {
    const numRuns = Math.ceil((allCases * weight) / TOTAL_WEIGHT);
    it(`${name} (${numRuns} cases)`, { timeout: TIMEOUT_MS }, () => {
      fc.assert(property, { numRuns, seed: SEED, endOnFailure: END_ON_FAILURE });
    });
  }
}
