import { checkKeyPrefix } from "./key-prefix.ts";
import { KEYS_PER_PORTION, keyPattern, scanNode } from "./portions.ts";
import type { RedisPort, RedisScript, RunScript } from "./redis-port.ts";
import { type SendScript, scriptRunner } from "./run-script.ts";

type Arguments = readonly (string | Uint8Array)[];

interface NodeRedisBase {
  readonly isOpen: boolean;
  /** Absent in clusters and pools of versions 4 and 5, and in pools of 6. */
  readonly isReady?: boolean;
  /** Version 6 has prefixes. Only `createClient` keeps its prefix in the options. */
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
  sendCommand(firstKey: string | undefined, isReadonly: boolean, args: Arguments): Promise<unknown>;
  /** Some releases of version 4 return no promise. */
  nodeClient(node: object): NodeRedisClient | Promise<NodeRedisClient>;
}

/** `createSentinel(…)` of redis. */
export interface NodeRedisSentinel extends NodeRedisBase {
  sendCommand(isReadonly: boolean, args: Arguments, options?: { readonly abortSignal: AbortSignal }): Promise<unknown>;
}

/** What differs between clients, clusters and Sentinels. */
interface Flavour {
  readonly kind: "cluster" | "single";
  readonly client: NodeRedisBase;
  send(firstKey: string, args: Arguments): Promise<unknown>;
  primaries(): Promise<readonly ((args: Arguments) => Promise<unknown>)[]>;
}

/**
 * redis (node-redis) 4, 5 and 6; the application connects the client. Calls in flight are rejected when a connection
 * is lost, never sent again, and queued calls keep the array of arguments, in which the cancel flag is. `createCluster`
 * of 6 copies the array but no bytes, so it gets the flag as bytes. Only `createSentinel` retries, which `sendOnce`
 * prevents. All commands are sent raw, because methods transform arguments and replies differently in each version.
 */
export class NodeRedisPort implements RedisPort {
  readonly name = "redis";
  readonly cluster: boolean;
  readonly run: RunScript;
  readonly #flavour: Flavour;
  readonly #keyPrefix: string;
  readonly #send: SendScript = (command, script, { keys, args, cancelFlag }) => {
    const prefixed = this.#keyPrefix === "" ? keys : keys.map((key) => this.#keyPrefix + key);
    const flag = this.cluster ? cancelFlag.bytes : cancelFlag.text;
    const all = [command, script, String(keys.length), ...prefixed, flag, ...args];
    if (!this.cluster) cancelFlag.writeInto(all, 3 + keys.length);
    return this.#flavour.send(prefixed[0]!, all);
  };

  private constructor(flavour: Flavour, script: RedisScript) {
    const { client, kind } = flavour;
    this.#flavour = flavour;
    this.run = scriptRunner(script, this.#send);
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

  async *scan(prefix: string): AsyncGenerator<readonly string[]> {
    const pattern = keyPattern(this.#keyPrefix + prefix);
    for (const send of await this.#flavour.primaries()) {
      yield* scanNode(this.#keyPrefix, (cursor) =>
        send(["SCAN", cursor, "MATCH", pattern, "COUNT", String(KEYS_PER_PORTION)]),
      );
    }
  }

  onLost(): () => void {
    return () => {};
  }
}

/**
 * A signal that is aborted from the second look on. `createSentinel` silently sends a command again after a lost
 * connection, and checks the signal before each attempt.
 */
function sendOnce(): AbortSignal {
  const { signal } = new AbortController();
  let looks = 0;
  return Object.defineProperty(signal, "aborted", {
    get(): boolean {
      looks += 1;
      return looks > 1;
    },
  });
}
