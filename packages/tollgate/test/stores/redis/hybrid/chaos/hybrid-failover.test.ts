import { describe } from "vitest";
import { pass } from "../../chaos/kit/traffic-run.ts";
import { WatchedPair } from "../../chaos/kit/watched-pair.ts";
import { startSentinel } from "../../servers/start-sentinel.ts";
import { underTraffic } from "./kit/incident-run.ts";
import { itIsBack, itLosesAtMostACapacity, itStandsThrough, untilLeased } from "./kit/incident-tests.ts";

/** Traffic of which the replica gets nothing. */
const AHEAD_MS = 300;

describe("nodes whose primary dies with leases that the replica does not know", () => {
  const told = underTraffic(
    async () => new WatchedPair(await startSentinel()),
    async ({ all }, nodes) => {
      const primary = await all.primary();
      const replica = all.servers.find((server) => server !== primary)!;
      const lostMs = performance.now();
      replica.pause();
      await primary.command("CLIENT", "KILL", "TYPE", "REPLICA");
      await pass(AHEAD_MS);
      await primary.kill();
      const fromMs = performance.now();
      replica.resume();
      // Nodes may spend all that the old primary granted; the new one knows nothing of the last leases.
      const held = nodes.reduce((sum, node) => sum + node.held, 0);
      await all.waitForFailover();
      return { fromMs, untilMs: fromMs, leasedMs: await untilLeased(nodes), lostMs, held };
    },
  );
  itStandsThrough(told);
  itIsBack(told);
  itLosesAtMostACapacity(told);
});
