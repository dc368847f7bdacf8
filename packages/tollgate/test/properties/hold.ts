import fc from "fast-check";
import { it } from "vitest";
import { ALL_PROPERTIES } from "./all-properties.ts";
import type { NamedProperty } from "./named-property.ts";

/** Cases in a run of all properties: `TOLLGATE_CASES`, or a quarter of a minute's worth on one core. */
const ALL_CASES = Number(process.env["TOLLGATE_CASES"] ?? 60_000);
/** `TOLLGATE_SHRINK=no`: it is enough to know that one failed. */
const END_ON_FAILURE = process.env["TOLLGATE_SHRINK"] === "no";
/** The same cases in every run; `npm run fuzz` is for others. */
const SEED = 1;
const TIMEOUT_MS = 600_000;

const TOTAL_WEIGHT = ALL_PROPERTIES.reduce((sum, { weight }) => sum + weight, 0);

/** Tests that the properties hold, each in its share of the cases. */
export function hold(properties: readonly NamedProperty[]): void {
  for (const { name, weight, property } of properties) {
    const numRuns = Math.ceil((ALL_CASES * weight) / TOTAL_WEIGHT);
    it(`${name} (${numRuns} cases)`, { timeout: TIMEOUT_MS }, () => {
      fc.assert(property, { numRuns, seed: SEED, endOnFailure: END_ON_FAILURE });
    });
  }
}
