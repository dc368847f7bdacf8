import { describe, expect, it } from "vitest";
import { countOf, miscounted, nameOf } from "./kit/count.ts";
import { causesOf, overAdmitted } from "./kit/findings.ts";
import { TIGHT } from "./kit/limits.ts";
import { onACluster } from "./kit/on-a-cluster.ts";
import { itStandsThrough } from "./kit/outage-tests.ts";
import { pass } from "./kit/traffic-run.ts";

/** Between one key and the next: enough for calls about both. */
const STEP_MS = 120;

describe("slots that move to other primaries and back, key by key", () => {
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
  itStandsThrough(() => told().run, ["timed out", "the slot is moving", "circuit open"]);

  it("are found again: few calls are decided without them, and none by clients that try again", () => {
    for (const { name, calls } of told().run.lanes) {
      const degraded = [...causesOf(calls).values()].reduce((sum, times) => sum + times, 0);
      // redis hands TRYAGAIN on at once, and Glide tries until its requestTimeout.
      const most = /^io(?:redis|valkey)/.test(name) ? 0 : 0.05 * calls.length;
      expect([name, degraded]).toSatisfy(() => degraded <= most);
    }
  });

  it("have redirected calls about some of their keys, and could not decide about both", () => {
    expect(told().run.result).toEqual(
      expect.arrayContaining(["errorstat_ASK", "errorstat_MOVED", "errorstat_TRYAGAIN"]),
    );
  });

  it("have counted everything once, wherever they were", () => {
    const { run, used } = told();
    expect(miscounted(countOf(run.calls), used)).toEqual([]);
    expect(overAdmitted(run)).toEqual([]);
    expect(used.get(nameOf("tight", "one"))).toBe(TIGHT);
  });
});
