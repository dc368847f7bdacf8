import { sendScriptBy } from "./ioredis-command.ts";
import { checkKeyPrefix } from "./key-prefix.ts";
import { KEYS_PER_PORTION, keyPattern, scanNode } from "./portions.ts";
import type { RedisPort, RedisScript, RunScript } from "./redis-port.ts";
import { scriptRunner } from "./run-script.ts";
import { shareListeners } from "./share-listeners.ts";

type Send = (...args: readonly unknown[]) => Promise<unknown>;

/** What the port needs from a connection to one server. */
interface IoredisNode {
  readonly status: string;
  readonly scan: Send;
  on(event: "close" | "end", listener: () => void): unknown;
  off(event: "close" | "end", listener: () => void): unknown;
}

interface IoredisCommands {
  readonly status: string;
  readonly options: { readonly keyPrefix?: unknown };
  readonly evalsha: Send;
  readonly eval: Send;
  readonly ping: Send;
  sendCommand(command: unknown): Promise<unknown>;
}

/** `new Redis(…)` of ioredis or iovalkey, with Sentinels or without. */
export interface IoredisClient extends IoredisNode, IoredisCommands {
  readonly isCluster: false;
}

/** `new Cluster(…)` of ioredis or iovalkey. */
export interface IoredisCluster extends IoredisCommands {
  readonly isCluster: true;
  nodes(role: "all" | "master"): readonly IoredisNode[];
  on(event: "+node", listener: (node: IoredisNode) => void): unknown;
  off(event: "+node", listener: (node: IoredisNode) => void): unknown;
}

/**
 * ioredis and its fork iovalkey. They encode a command each time they send it, so a cancellation reaches calls that
 * are sent late. These are calls from an offline queue, calls that are sent again after a reconnect
 * (`autoResendUnfulfilledCommands`), and retries by a Cluster (`retryDelayOnFailover`). All of them follow the `close`
 * of the connection, in a later turn of the event loop.
 */
export class IoredisPort implements RedisPort {
  readonly name = "ioredis";
  readonly cluster: boolean;
  readonly run: RunScript;
  readonly #client: IoredisClient | IoredisCluster;
  readonly #keyPrefix: string;

  constructor(client: IoredisClient | IoredisCluster, script: RedisScript) {
    this.#client = client;
    this.cluster = client.isCluster;
    this.#keyPrefix = checkKeyPrefix(client.options.keyPrefix, client.isCluster ? "cluster" : "single");
    this.run = scriptRunner(script, sendScriptBy(client, this.#keyPrefix));
  }

  get connected(): boolean {
    // "wait": the client connects with the first command.
    return this.#client.status === "ready" || this.#client.status === "wait";
  }

  async *scan(prefix: string): AsyncGenerator<readonly string[]> {
    const pattern = keyPattern(this.#keyPrefix + prefix);
    for (const node of await this.#primaries()) {
      yield* scanNode(this.#keyPrefix, (cursor) => node.scan(cursor, "MATCH", pattern, "COUNT", KEYS_PER_PORTION));
    }
  }

  onLost(listener: () => void): () => void {
    const client = this.#client;
    return shareListeners(
      client,
      (lost) => (client.isCluster ? onNodesClosed(client, lost) : onClosed(client, lost)),
      listener,
    );
  }

  async #primaries(): Promise<readonly IoredisNode[]> {
    if (!this.#client.isCluster) return [this.#client];
    // Before the first reply the client has no nodes, or only those from its options.
    await this.#client.ping();
    return this.#client.nodes("master");
  }
}

function onClosed(node: IoredisNode, listener: () => void): () => void {
  node.on("close", listener);
  return () => {
    node.off("close", listener);
  };
}

function onNodesClosed(cluster: IoredisCluster, listener: () => void): () => void {
  const stops = new Map<IoredisNode, () => void>();
  const watch = (node: IoredisNode): void => {
    if (stops.has(node)) return;
    // A node leaves the cluster (`-node`) before it is closed. Its calls in flight are lost when it is closed.
    const forget = (): void => {
      stops.get(node)?.();
      stops.delete(node);
    };
    const stop = onClosed(node, listener);
    node.on("end", forget);
    stops.set(node, () => {
      stop();
      node.off("end", forget);
    });
  };
  cluster.on("+node", watch);
  for (const node of cluster.nodes("all")) watch(node);
  return () => {
    cluster.off("+node", watch);
    for (const stop of stops.values()) stop();
    stops.clear();
  };
}
