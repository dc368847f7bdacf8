import { afterEach, describe, expect, it } from "vitest";
import { ABORTED_CASES } from "./aborted-cases.ts";
import { ACTUAL_COST_CASES } from "./actual-cost-cases.ts";
import type { Start, SuiteCase } from "./case.ts";
import { DECISION_CASES } from "./decision-cases.ts";
import { DENIAL_CASES } from "./denial-cases.ts";
import { DEPARTURE_CASES } from "./departure-cases.ts";
import { FAILURE_CASES } from "./failure-cases.ts";
import type { AdapterHarness, RunningServer } from "./harness.ts";
import { HEADER_CASES } from "./header-cases.ts";
import { NEIGHBOUR_CASES } from "./neighbour-cases.ts";
import { PLACES_CASES } from "./places-cases.ts";
import { PROTOCOL_CASES } from "./protocol-cases.ts";
import { SETTLING_CASES } from "./settling-cases.ts";
import { SEVERAL_LIMITS_CASES } from "./several-limits-cases.ts";
import { TOLD_COST_CASES } from "./told-cost-cases.ts";
import { TURN_CASES } from "./turn-cases.ts";

const CASES: readonly SuiteCase[] = [
  ...DECISION_CASES,
  ...DENIAL_CASES,
  ...HEADER_CASES,
  ...FAILURE_CASES,
  ...SETTLING_CASES,
  ...ACTUAL_COST_CASES,
  ...ABORTED_CASES,
  ...TOLD_COST_CASES,
  ...PROTOCOL_CASES,
  ...DEPARTURE_CASES,
  ...NEIGHBOUR_CASES,
  ...SEVERAL_LIMITS_CASES,
  ...PLACES_CASES,
  ...TURN_CASES,
];

/** Runs every case against an adapter, except those that its harness skips with a reason. */
export function describeAdapter(harness: AdapterHarness): void {
  const servers: RunningServer[] = [];
  afterEach(async () => {
    await Promise.all(servers.splice(0).map((server) => server.close()));
  });

  describe(`the adapter of ${harness.name}`, () => {
    it("skips only existing cases, each for a reason", () => {
      const names = new Set(CASES.map(({ name }) => name));
      expect(names.size).toBe(CASES.length);
      for (const [name, reason] of Object.entries(harness.skips)) {
        expect(names).toContain(name);
        expect(reason.length).toBeGreaterThan(20);
      }
    });

    const start: Start = async (options) => {
      const server = await harness.start(options);
      servers.push(server);
      return server.url;
    };
    const cases = CASES.filter(({ name }) => !Object.hasOwn(harness.skips, name));
    // `it.each` would shorten the names.
    for (const { name, run } of cases) it(`${harness.name} ${name}`, () => run(start));
  });
}
