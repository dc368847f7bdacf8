import { describe, expect, it } from "vitest";
import type { CallRecord } from "./kit/call-record.ts";
import { countOf, miscounted, nameOf } from "./kit/count.ts";
import { overAdmitted } from "./kit/findings.ts";
import { itIsBack, itStandsThrough } from "./kit/incident-tests.ts";
import { TIGHT } from "./kit/limits.ts";
import { CAPACITY, CountedKey, landingAfter, lostUnits } from "./kit/lost-writes.ts";
import { onSentinels } from "./kit/on-sentinels.ts";
import { pass } from "./kit/traffic-run.ts";

/** Shows that the state afterwards is stable. */
const AFTERWARDS_MS = 2_500;

describe("a primary under Sentinels killed with unreplicated writes", () => {
  const told = onSentinels(async (place) => {
    const { all } = place;
    const primary = await all.primary();
    const replica = all.servers.find((server) => server !== primary)!;
    const aside = await place.connectAside();
    const key = new CountedKey(aside.client, "one");
    const { loss, counted, backMs } = await key.killAhead(primary, replica, async () => {
      await all.waitForFailover();
    });
    await pass(AFTERWARDS_MS);
    await aside.close();
    const landed = (call: CallRecord) => landingAfter(loss, call);
    return { beginMs: loss.beginMs, fromMs: loss.killedMs, untilMs: loss.killedMs, backMs, counted, landed };
  });
  itStandsThrough(
    () => told().run,
    [
      "timed out",
      "circuit open",
      "connection lost",
      "connection refused",
      "no sentinel answers",
      "the server is a replica",
    ],
  );
  // redis asks its Sentinels once a second, with all options.
  itIsBack(
    () => told().run,
    (lane) => (lane.startsWith("redis,") ? 2_000 : 1_000),
  );

  it("the new primary admits more by the lost writes, and not one unit more", () => {
    const { counted } = told().run.result;
    expect(counted).toEqual({ admittedBefore: 65, found: 40, admittedAfter: 60 });
    const lost = counted.admittedBefore - counted.found;
    expect(counted.admittedBefore + counted.admittedAfter).toBe(CAPACITY + lost);
  });

  it("the new primary counted nothing twice, and lost only the unreplicated writes", () => {
    const { run, used } = told();
    const { landed } = run.result;
    expect(miscounted(countOf(run.calls, landed), used)).toEqual([]);
    expect(overAdmitted(run, (limiter) => lostUnits(run.calls, limiter, landed))).toEqual([]);
    expect(used.get(nameOf("tight", "one"))).toBe(TIGHT);
  });
});
