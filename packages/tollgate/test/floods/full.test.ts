import { describe, expect } from "vitest";
import type { Flood } from "./kit/flood.ts";
import { itIsFlooded } from "./kit/flood-tests.ts";
import { EXHAUSTED } from "./kit/keys.ts";
import { REQUESTS } from "./kit/run-flood.ts";
import { type Findings, mostOf } from "./kit/tally.ts";

/** Redis denies the exhausted key. For the other keys it has no memory, so the failure policy decides. */
function expectDenied(findings: Findings, { policy }: Flood): void {
  const { [EXHAUSTED]: exhausted, ...fresh } = findings.byKey;
  expect(exhausted).toEqual({ admitted: 0, degraded: 0, denied: REQUESTS / 2, unavailable: 0 });
  expect(mostOf({ byKey: fresh }, ({ admitted, degraded }) => admitted - degraded)).toBe(0);
  if (policy === "allow") expect(mostOf({ byKey: fresh }, ({ denied }) => denied)).toBe(0);
}

describe("a flood over a full Redis is denied an exhausted key, by Redis:", () => {
  itIsFlooded("full", [], expectDenied);
});
