import clusterKeySlot from "cluster-key-slot";
import { describe, expect, it } from "vitest";
import { clusterView, servesSlot } from "../servers/cluster-view.ts";
import { type CallRecord, landing } from "./kit/call-record.ts";
import { countOf, miscounted, nameOf } from "./kit/count.ts";
import { overAdmitted } from "./kit/findings.ts";
import { itIsBack, itStandsThrough } from "./kit/incident-tests.ts";
import { TIGHT } from "./kit/limits.ts";
import { CAPACITY, CountedKey, landingAfter, lostUnits } from "./kit/lost-writes.ts";
import { onACluster } from "./kit/on-a-cluster.ts";
import { pass } from "./kit/traffic-run.ts";

/** Six nodes and all clients share the processors with other tests. */
const TIMEOUT_MS = 500;
/** The key of the limits that are reached. */
const KEY = "one";

describe("a cluster primary killed with unreplicated writes", () => {
  const told = onACluster({ timeoutMs: TIMEOUT_MS }, async (place) => {
    const { cluster } = place;
    const primary = await cluster.primaryOf(KEY);
    const [replica] = await cluster.replicasOf(primary);
    const self = (await clusterView(primary.port)).find(({ isMyself }) => isMyself)!;
    const aside = await place.connectAside();
    const key = new CountedKey(aside.client, KEY);
    const { loss, counted, backMs } = await key.killAhead(primary, replica!, () => cluster.waitForOk());
    await pass(700);
    await primary.restart();
    await cluster.waitForOk();
    await pass(700);
    await aside.close();
    const wasThere = ({ key: asked }: CallRecord): boolean => servesSlot(self, clusterKeySlot(`{${asked}}`));
    const landed = (call: CallRecord) => (wasThere(call) ? landingAfter(loss, call) : landing(call));
    return { beginMs: loss.beginMs, fromMs: loss.killedMs, untilMs: loss.killedMs, backMs, counted, landed };
  });
  itStandsThrough(
    () => told().run,
    [
      "timed out",
      "circuit open",
      "connection lost",
      "connection refused",
      "the cluster is down",
      "no node answers",
      // While nodes disagree about the primary of a slot, each names the other.
      "too many redirections",
    ],
  );
  itIsBack(() => told().run);

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
    expect(used.get(nameOf("tight", KEY))).toBe(TIGHT);
  });
});
