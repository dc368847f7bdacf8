import { KEYS_PER_PORTION, keyPattern, scanNode } from "./portions.ts";
import type { RedisPort, RedisScript, RunScript } from "./redis-port.ts";
import { scriptRunner } from "./run-script.ts";
import type { CommandsStoreClient } from "./store-client.ts";

type Route = "allPrimaries" | { readonly type: "routeByAddress"; readonly host: string; readonly port: number };

/** `GlideClient` or `GlideClusterClient` of @valkey/valkey-glide. */
export interface GlideClient {
  customCommand(args: string[], options?: { readonly route: Route }): Promise<unknown>;
}

/**
 * @valkey/valkey-glide 2. Its core copies the arguments at once, so a later cancellation has no effect. The core sends
 * no call twice: it rejects the calls in flight when a connection is lost. Without a connection a call waits in the
 * core, at most the client's `requestTimeout` (250 ms by default). A call that timed out in the store may be executed
 * until then, once. With a `requestTimeout` of at most the store's `timeout` this does not happen.
 */
export class GlidePort implements RedisPort {
  readonly name: string;
  readonly cluster: boolean;
  /** The client does not report its connections. */
  readonly connected = true;
  readonly run: RunScript;
  readonly #client: GlideClient;

  constructor(client: GlideClient, kind: "cluster" | "single", script: RedisScript, name = "@valkey/valkey-glide") {
    this.name = name;
    this.#client = client;
    this.cluster = kind === "cluster";
    this.run = scriptRunner(script, (command, text, { keys, args, cancelFlag }) =>
      client.customCommand([command, text, String(keys.length), ...keys, cancelFlag.text, ...args]),
    );
  }

  async *scan(prefix: string): AsyncGenerator<readonly string[]> {
    const command = (cursor: string): string[] => {
      return ["SCAN", cursor, "MATCH", keyPattern(prefix), "COUNT", String(KEYS_PER_PORTION)];
    };
    if (!this.cluster) {
      yield* scanNode("", (cursor) => this.#client.customCommand(command(cursor)));
      return;
    }
    // Only the replies of all primaries list them, by host and port. Each has a cursor of its own.
    const replies = await this.#client.customCommand(command("0"), { route: "allPrimaries" });
    for (const { key, value } of replies as readonly { readonly key: unknown; readonly value: unknown }[]) {
      const route = routeTo(String(key));
      yield* scanNode("", async (cursor) =>
        cursor === "0" ? value : this.#client.customCommand(command(cursor), { route }),
      );
    }
  }

  onLost(): () => void {
    return () => {};
  }
}

/** The port of a function that sends commands by any client. It knows of no connections, as that of Glide. */
export function portOfCommands({ sendCommand }: CommandsStoreClient, script: RedisScript): RedisPort {
  const customCommand = async (args: string[]) => sendCommand(...(args as [string, ...string[]]));
  return new GlidePort({ customCommand }, "single", script, "sendCommand");
}

/** The host may be an IPv6 address. */
function routeTo(address: string): Route {
  const colon = address.lastIndexOf(":");
  return { type: "routeByAddress", host: address.slice(0, colon), port: Number(address.slice(colon + 1)) };
}
