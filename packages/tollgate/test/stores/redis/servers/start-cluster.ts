import { type ClusterNode, clusterView, SLOT_COUNT, servesSlot, slotCount } from "./cluster-view.ts";
import { eventually, eventuallyTrue } from "./eventually.ts";
import { formCluster } from "./form-cluster.ts";
import type { RedisServer } from "./redis-server.ts";
import { hasLink, isPrimary } from "./replication.ts";
import { SlotMove } from "./slot-move.ts";
import { startRedis } from "./start-redis.ts";

export interface ClusterOptions {
  readonly primaries?: number;
  /** The replicas of each primary. */
  readonly replicas?: number;
  /** A node that does not reply for so long counts as failed. A replica takes over about a second later. */
  readonly nodeTimeoutMs?: number;
  /** More options for each redis-server. */
  readonly args?: readonly string[];
}

/** A cluster of real processes on 127.0.0.1. Slots are given as numbers, or as keys in them. */
export class RedisCluster {
  /** All processes in the order of their start: initially primaries, then replicas. */
  readonly nodes: readonly RedisServer[];

  constructor(nodes: readonly RedisServer[]) {
    this.nodes = nodes;
  }

  get addresses(): readonly { readonly host: string; readonly port: number }[] {
    return this.nodes.map(({ host, port }) => ({ host, port }));
  }

  nodeAt(port: number): RedisServer {
    const node = this.nodes.find((one) => one.port === port);
    if (node === undefined) throw new Error(`expected the port of a node of this cluster, got ${port}`);
    return node;
  }

  async slotOf(key: string): Promise<number> {
    return Number(await this.#anyNode().command("CLUSTER", "KEYSLOT", key));
  }

  /** The primary of the slot by the newest configuration. Waits until a node replies as such. */
  async primaryOf(keyOrSlot: string | number): Promise<RedisServer> {
    const slot = typeof keyOrSlot === "number" ? keyOrSlot : await this.slotOf(keyOrSlot);
    return eventually(`a primary of slot ${slot}`, async () => {
      const claims = (await this.#selves()).filter(([, self]) => self.role === "primary" && servesSlot(self, slot));
      claims.sort(([, a], [, b]) => b.configEpoch - a.configEpoch);
      return claims[0]?.[0];
    });
  }

  async replicasOf(primary: RedisServer): Promise<readonly RedisServer[]> {
    const selves = await this.#selves();
    const id = selves.find(([node]) => node === primary)?.[1].id;
    return selves.filter(([, self]) => id !== undefined && self.primaryId === id).map(([node]) => node);
  }

  /** kill -9. Returns the node, which can be restarted. `waitForOk` then waits until a replica has taken over. */
  async killPrimaryOf(keyOrSlot: string | number): Promise<RedisServer> {
    const primary = await this.primaryOf(keyOrSlot);
    await primary.kill();
    return primary;
  }

  /** Opens a migration and leaves it open, for traffic in the middle. */
  async beginMove(slot: number, fromPort: number, toPort: number): Promise<SlotMove> {
    return SlotMove.begin(slot, this.nodeAt(fromPort), this.nodeAt(toPort));
  }

  /** Migrates the slot with all its keys. */
  async moveSlot(slot: number, fromPort: number, toPort: number): Promise<void> {
    const move = await this.beginMove(slot, fromPort, toPort);
    await move.finish();
  }

  /** Waits until each slot has a primary that replies, all nodes agree, and all replicas are linked. */
  async waitForOk(patienceMs = 20_000): Promise<void> {
    await eventuallyTrue("the cluster to be whole", async () => this.#isOk(), { patienceMs, everyMs: 20 });
  }

  async stop(): Promise<void> {
    await Promise.all(this.nodes.map(async (node) => node.stop()));
  }

  #anyNode(): RedisServer {
    const node = this.#answeringNodes()[0];
    if (node === undefined) throw new Error("expected a node that answers, got none");
    return node;
  }

  #answeringNodes(): readonly RedisServer[] {
    return this.nodes.filter(({ isAnswering }) => isAnswering);
  }

  /** How each node that replies sees itself. */
  async #selves(): Promise<readonly (readonly [RedisServer, ClusterNode])[]> {
    return Promise.all(
      this.#answeringNodes().map(async (node) => {
        const self = (await clusterView(node.port)).find(({ isMyself }) => isMyself);
        return [node, self!] as const;
      }),
    );
  }

  async #isOk(): Promise<boolean> {
    const nodes = this.#answeringNodes();
    const areWell = await Promise.all(nodes.map(isWell));
    if (!areWell.every(Boolean)) return false;
    const ports = new Set(nodes.map(({ port }) => port));
    const views = await Promise.all(nodes.map(async ({ port }) => clusterView(port)));
    if (!views.every((view) => isWhole(view, ports))) return false;
    return new Set(views.map((view) => rolesIn(view, ports))).size === 1;
  }
}

async function isWell(node: RedisServer): Promise<boolean> {
  if (!String(await node.command("CLUSTER", "INFO")).includes("cluster_state:ok")) return false;
  return (await isPrimary(node)) || hasLink(node);
}

/** Whether all slots are served by known and healthy nodes that reply. */
function isWhole(view: readonly ClusterNode[], answeringPorts: ReadonlySet<number>): boolean {
  let slots = 0;
  let nodes = 0;
  for (const node of view) {
    if (!answeringPorts.has(node.port)) continue;
    if (node.hasFailed) return false;
    nodes += 1;
    if (node.role === "primary") slots += slotCount(node);
  }
  return slots === SLOT_COUNT && nodes === answeringPorts.size;
}

/** The roles of the nodes that reply, as text: equal views have equal texts. */
function rolesIn(view: readonly ClusterNode[], answeringPorts: ReadonlySet<number>): string {
  const roles = view
    .filter(({ port }) => answeringPorts.has(port))
    .map(({ port, primaryId, slots }) => `${port} ${primaryId} ${slots.join(" ")}`);
  return roles.sort().join("\n");
}

/**
 * Starts a cluster, by default of three primaries with a replica each. Resolves when it is complete, after 2 to 3 s.
 */
export async function startCluster({
  primaries = 3,
  replicas = 1,
  nodeTimeoutMs = 1_000,
  args = [],
}: ClusterOptions = {}): Promise<RedisCluster> {
  const options = ["--cluster-enabled", "yes", "--cluster-node-timeout", String(nodeTimeoutMs), ...args];
  const count = primaries * (1 + replicas);
  const cluster = new RedisCluster(
    await Promise.all(Array.from({ length: count }, async () => startRedis({ args: options }))),
  );
  try {
    await formCluster(cluster.nodes, primaries);
    await cluster.waitForOk();
  } catch (error) {
    await cluster.stop();
    throw error;
  }
  return cluster;
}
