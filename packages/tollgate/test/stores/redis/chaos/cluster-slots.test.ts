import { describe, expect, it } from "vitest";
import { countOf, miscounted, nameOf } from "./kit/count.ts";
import { causesOf, overAdmitted } from "./kit/findings.ts";
import { itStandsThrough } from "./kit/incident-tests.ts";
import { TIGHT } from "./kit/limits.ts";
import { onACluster } from "./kit/on-a-cluster.ts";
import { pass } from "./kit/traffic-run.ts";

/** The time between two keys, in which calls on both are made. */
const STEP_MS = 120;

describe("slots that migrate to other primaries and back, key by key", () => {
  const told = onACluster({ timeoutMs: 2_000 }, async ({ cluster }) => {
    for (const key of ["one", "ann", "bob!"]) {
      const slot = await cluster.slotOf(key);
      const from = await cluster.primaryOf(slot);
      const others = await Promise.all([1, 6_000, 12_000].map((other) => cluster.primaryOf(other)));
      const to = others.find((other) => other !== from)!;
      for (const [source, target] of [
        [from, to],
        [to, from],
      ] as const) {
        const move = await cluster.beginMove(slot, source.port, target.port);
        await pass(STEP_MS);
        while ((await move.moveKeys(1)) > 0) await pass(STEP_MS);
        await move.finish();
        await pass(STEP_MS);
      }
    }
    const answers = await Promise.all(cluster.nodes.map((node) => node.info("errorstats")));
    return answers.flatMap((fields) => [...fields.keys()]);
  });
  itStandsThrough(() => told().run, ["timed out", "the slot is moving", "the slot has moved", "circuit open"]);

  it("few calls are decided without the server while slots migrate, and none with clients that retry", () => {
    for (const { name, calls } of told().run.lanes) {
      const degraded = [...causesOf(calls).values()].reduce((sum, times) => sum + times, 0);
      // redis forwards TRYAGAIN at once, and Glide retries until its requestTimeout.
      const most = /^io(?:redis|valkey)/.test(name) ? 0 : 0.05 * calls.length;
      expect([name, degraded]).toSatisfy(() => degraded <= most);
    }
  });

  it("the migration redirects single keys, and rejects calls on both halves of a slot", () => {
    expect(told().run.result).toEqual(
      expect.arrayContaining(["errorstat_ASK", "errorstat_MOVED", "errorstat_TRYAGAIN"]),
    );
  });

  it("every call counts once while its slot migrates", () => {
    const { run, used } = told();
    expect(miscounted(countOf(run.calls), used)).toEqual([]);
    expect(overAdmitted(run)).toEqual([]);
    expect(used.get(nameOf("tight", "one"))).toBe(TIGHT);
  });
});
