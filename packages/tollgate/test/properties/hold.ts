import fc from "fast-check";
import { it } from "vitest";
import { ALL_PROPERTIES } from "./all-properties.ts";
import type { NamedProperty } from "./named-property.ts";
import { runs } from "./runs.ts";

/** Cases in a run of all properties; TOLLGATE_CASES sets another number, such as a million for a night. */
const ALL_CASES = Number(process.env["TOLLGATE_CASES"] ?? runs(2_000));
/** With TOLLGATE_SHRINK=no a failing case is not shrunk. */
const END_ON_FAILURE = process.env["TOLLGATE_SHRINK"] === "no";
/** The same cases in every run, unless TOLLGATE_SEED names others. */
const SEED = Number(process.env["TOLLGATE_SEED"] ?? 1);
const TIMEOUT_MS = 600_000;

const TOTAL_WEIGHT = ALL_PROPERTIES.reduce((sum, { weight }) => sum + weight, 0);

/**
 * Tests that the properties hold. Each gets its share of the cases by its weight. To replay a failure, set its seed and
 * its number of cases.
 */
export function hold(properties: readonly NamedProperty[]): void {
  for (const { name, weight, property } of properties) {
    const numRuns = Math.ceil((ALL_CASES * weight) / TOTAL_WEIGHT);
    it(`${name} (${numRuns} cases)`, { timeout: TIMEOUT_MS }, () => {
      fc.assert(property, { numRuns, seed: SEED, endOnFailure: END_ON_FAILURE });
    });
  }
}
