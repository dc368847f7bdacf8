import { clusterView, SLOT_COUNT } from "./cluster-view.ts";
import { eventuallyTrue } from "./eventually.ts";
import type { RedisServer } from "./redis-server.ts";

/** Forms a cluster of empty nodes: first the primaries, then their replicas in turn. */
export async function formCluster(nodes: readonly RedisServer[], primaryCount: number): Promise<void> {
  await Promise.all(nodes.map(async (node, at) => node.command("CLUSTER", "SET-CONFIG-EPOCH", at + 1)));
  const primaries = nodes.slice(0, primaryCount);
  await Promise.all([assignSlots(primaries), introduce(nodes)]);
  await Promise.all(nodes.map(async (node) => untilItKnows(node, nodes)));
  await Promise.all(
    nodes.slice(primaryCount).map(async (replica, at) => follow(replica, primaries[at % primaryCount]!)),
  );
}

async function assignSlots(primaries: readonly RedisServer[]): Promise<void> {
  const firstSlotOf = (at: number): number => Math.round((SLOT_COUNT * at) / primaries.length);
  await Promise.all(
    primaries.map(async (node, at) => {
      await node.command("CLUSTER", "ADDSLOTSRANGE", firstSlotOf(at), firstSlotOf(at + 1) - 1);
    }),
  );
}

/** Introduces each node to each: gossip takes a second longer. */
async function introduce(nodes: readonly RedisServer[]): Promise<void> {
  const meetings: Promise<unknown>[] = [];
  for (const [at, node] of nodes.entries()) {
    for (const other of nodes.slice(at + 1)) {
      meetings.push(node.command("CLUSTER", "MEET", other.host, other.port));
    }
  }
  await Promise.all(meetings);
}

async function untilItKnows(node: RedisServer, others: readonly RedisServer[]): Promise<void> {
  await eventuallyTrue(
    "the nodes to know each other",
    async () => {
      const known = await clusterView(node.port);
      return others.every(({ port }) => known.some((other) => other.port === port && other.configEpoch > 0));
    },
    { everyMs: 20 },
  );
}

async function follow(replica: RedisServer, primary: RedisServer): Promise<void> {
  await replica.command("CLUSTER", "REPLICATE", String(await primary.command("CLUSTER", "MYID")));
}
