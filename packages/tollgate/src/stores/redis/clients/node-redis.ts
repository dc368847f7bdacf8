import { fenceBytes } from "./fence-bytes.ts";
import { CALLS_AT_ONCE, inTurn } from "./in-turn.ts";
import { checkKeyPrefix } from "./key-prefix.ts";
import type { RedisPort, RedisScript, ScriptCall, ScriptReply } from "./redis-port.ts";
import { runScript } from "./run-script.ts";
import { KEYS_PER_PORTION, keyPattern, scanNode } from "./scan-node.ts";
import { sendOnce } from "./send-once.ts";

type Argument = string | Uint8Array;
type Arguments = readonly Argument[];

interface NodeRedisBase {
  readonly isOpen: boolean;
  /** Clusters and pools of versions 4 and 5, and pools of 6, cannot tell. */
  readonly isReady?: boolean;
  /** Version 6 has prefixes; only that of `createClient` is to be found in its options. */
  readonly options?: { readonly keyPrefix?: unknown };
  readonly _keyPrefix?: unknown;
}

/** `createClient(…)` or `createClientPool(…)` of redis. */
export interface NodeRedisClient extends NodeRedisBase {
  sendCommand(args: Arguments): Promise<unknown>;
}

/** `createCluster(…)` of redis. */
export interface NodeRedisCluster extends NodeRedisBase {
  readonly masters: readonly object[];
  sendCommand(firstKey: Argument | undefined, isReadonly: boolean, args: Arguments): Promise<unknown>;
  /** A promise in all versions but some of 4. */
  nodeClient(node: object): NodeRedisClient | Promise<NodeRedisClient>;
}

/** `createSentinel(…)` of redis. */
export interface NodeRedisSentinel extends NodeRedisBase {
  sendCommand(isReadonly: boolean, args: Arguments, options?: { readonly abortSignal: AbortSignal }): Promise<unknown>;
}

/** How the flavours of the client differ. */
interface Flavour {
  readonly kind: "cluster" | "single";
  readonly client: NodeRedisBase;
  send(firstKey: string, args: Arguments): Promise<unknown>;
  primaries(): Promise<readonly ((args: Arguments) => Promise<unknown>)[]>;
}

/**
 * redis (node-redis) 4, 5 and 6; whoever made the client connects it. What is under way when a connection is lost is rejected, never sent
 * again, and what waits to be sent has the fence's own memory. Only `createSentinel` tries again of itself, which `sendOnce`
 * prevents. All commands are sent as they are: it depends on the version what its methods for them do to arguments and replies.
 */
export class NodeRedisPort implements RedisPort {
  readonly name = "redis";
  readonly cluster: boolean;
  readonly #flavour: Flavour;
  readonly #script: RedisScript;
  readonly #keyPrefix: string;

  private constructor(flavour: Flavour, script: RedisScript) {
    const { client, kind } = flavour;
    this.#flavour = flavour;
    this.#script = script;
    this.cluster = kind === "cluster";
    this.#keyPrefix = checkKeyPrefix(client.options?.keyPrefix ?? client["_keyPrefix"], kind);
  }

  static ofClient(client: NodeRedisClient, script: RedisScript): NodeRedisPort {
    const send = (args: Arguments): Promise<unknown> => client.sendCommand(args);
    return new NodeRedisPort(
      { kind: "single", client, send: (_firstKey, args) => send(args), primaries: async () => [send] },
      script,
    );
  }

  static ofSentinel(client: NodeRedisSentinel, script: RedisScript): NodeRedisPort {
    return new NodeRedisPort(
      {
        kind: "single",
        client,
        send: (_firstKey, args) => client.sendCommand(false, args, { abortSignal: sendOnce() }),
        primaries: async () => [(args) => client.sendCommand(false, args)],
      },
      script,
    );
  }

  static ofCluster(client: NodeRedisCluster, script: RedisScript): NodeRedisPort {
    return new NodeRedisPort(
      {
        kind: "cluster",
        client,
        send: (firstKey, args) => client.sendCommand(firstKey, false, args),
        primaries: async () => {
          const nodes = await Promise.all(client.masters.map(async (node) => client.nodeClient(node)));
          return nodes.map((node) => (args) => node.sendCommand(args));
        },
      },
      script,
    );
  }

  get connected(): boolean {
    const { isReady, isOpen } = this.#flavour.client;
    return isReady ?? isOpen;
  }

  run({ keys, args, fence }: ScriptCall): Promise<ScriptReply> {
    const prefixed = keys.map((key) => this.#keyPrefix + key);
    const parameters = [String(keys.length), ...prefixed, fenceBytes(fence), ...args];
    const send = (command: string, script: string): Promise<unknown> =>
      this.#flavour.send(prefixed[0]!, [command, script, ...parameters]);
    return runScript(
      fence,
      () => send("EVALSHA", this.#script.sha),
      () => send("EVAL", this.#script.source),
    );
  }

  async *scan(prefix: string): AsyncGenerator<readonly string[]> {
    const pattern = keyPattern(this.#keyPrefix + prefix);
    for (const send of await this.#flavour.primaries()) {
      yield* scanNode(this.#keyPrefix, (cursor) =>
        send(["SCAN", cursor, "MATCH", pattern, "COUNT", String(KEYS_PER_PORTION)]),
      );
    }
  }

  async unlink(keys: readonly string[]): Promise<void> {
    const prefixed = keys.map((key) => this.#keyPrefix + key);
    const unlink = (some: readonly string[]): Promise<unknown> => this.#flavour.send(some[0]!, ["UNLINK", ...some]);
    if (this.cluster) await inTurn(prefixed, CALLS_AT_ONCE, (some) => Promise.all(some.map((key) => unlink([key]))));
    else await inTurn(prefixed, KEYS_PER_PORTION, unlink);
  }

  onLost(): () => void {
    return () => {};
  }
}
