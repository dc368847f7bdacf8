import { type ClusterNode, clusterView, SLOT_COUNT, servesSlot, slotCount } from "./cluster-view.ts";
import { eventually, eventuallyTrue } from "./eventually.ts";
import { formCluster } from "./form-cluster.ts";
import type { RedisServer } from "./redis-server.ts";
import { hasLink, isPrimary } from "./replication.ts";
import { SlotMove } from "./slot-move.ts";
import { startRedis } from "./start-redis.ts";

export interface ClusterOptions {
  readonly primaries?: number;
  /** Replicas of each primary. */
  readonly replicas?: number;
  /** After that long without an answer a node counts as failed; a replica takes over about a second later. */
  readonly nodeTimeoutMs?: number;
  /** More options of each redis-server. */
  readonly args?: readonly string[];
}

/** A cluster of real processes on 127.0.0.1. Slots may be given as numbers, or as the keys in them. */
export class RedisCluster {
  /** All processes, in the order in which they were started: at first, primaries and then replicas. */
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

  /** The answering node that takes itself for the primary of the slot, by the newest configuration. Waits until there is one. */
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

  /** kill -9; gives the node, which may be started again. `waitForOk` then waits until a replica has taken over. */
  async killPrimaryOf(keyOrSlot: string | number): Promise<RedisServer> {
    const primary = await this.primaryOf(keyOrSlot);
    await primary.kill();
    return primary;
  }

  /** Opens the slot and leaves it open, for traffic in the middle. */
  async beginMove(slot: number, fromPort: number, toPort: number): Promise<SlotMove> {
    return SlotMove.begin(slot, this.nodeAt(fromPort), this.nodeAt(toPort));
  }

  /** Moves the slot with all its keys. */
  async moveSlot(slot: number, fromPort: number, toPort: number): Promise<void> {
    const move = await this.beginMove(slot, fromPort, toPort);
    await move.finish();
  }

  /** Waits until each slot has an answering primary, all answering nodes agree on that, and all replicas follow. */
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

  /** What each answering node says about itself. */
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

/** Whether nodes that answer serve all slots, and all of them are known and well. */
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

/** Who does what among the nodes that answer; the same text when two views agree. */
function rolesIn(view: readonly ClusterNode[], answeringPorts: ReadonlySet<number>): string {
  const roles = view
    .filter(({ port }) => answeringPorts.has(port))
    .map(({ port, primaryId, slots }) => `${port} ${primaryId} ${slots.join(" ")}`);
  return roles.sort().join("\n");
}

/** A cluster, three primaries with a replica each if not told otherwise. Resolves when all of it is there, after 2 to 3 s. */
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
