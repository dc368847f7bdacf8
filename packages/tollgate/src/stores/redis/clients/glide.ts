import { fenceText } from "./fence-bytes.ts";
import { CALLS_AT_ONCE, inTurn } from "./in-turn.ts";
import type { RedisPort, RedisScript, ScriptCall, ScriptReply } from "./redis-port.ts";
import { runScript } from "./run-script.ts";
import { KEYS_PER_PORTION, keyPattern, scanNode } from "./scan-node.ts";

type Route = "allPrimaries" | { readonly type: "routeByAddress"; readonly host: string; readonly port: number };

/** `GlideClient` or `GlideClusterClient` of @valkey/valkey-glide. */
export interface GlideClient {
  customCommand(args: string[], options?: { readonly route: Route }): Promise<unknown>;
}

/** What one of several nodes answered that a command was sent to. */
interface NodeReply {
  /** Its host and port. */
  readonly key: unknown;
  readonly value: unknown;
}

/**
 * @valkey/valkey-glide 2. Its core copies the arguments at once, so a fence that is void later reaches nothing. But the core sends
 * nothing again that may have landed: when a connection is lost it rejects what was under way. What finds no connection waits in the core
 * for one, no longer than the client's `requestTimeout` (250 ms unless set): a call that the store gave up earlier may land until
 * then, once. With a `requestTimeout` of the store's `timeoutMs` or less none does.
 */
export class GlidePort implements RedisPort {
  readonly name = "@valkey/valkey-glide";
  readonly cluster: boolean;
  /** It cannot tell. */
  readonly connected = true;
  readonly #client: GlideClient;
  readonly #script: RedisScript;

  constructor(client: GlideClient, kind: "cluster" | "single", script: RedisScript) {
    this.#client = client;
    this.#script = script;
    this.cluster = kind === "cluster";
  }

  run({ keys, args, fence }: ScriptCall): Promise<ScriptReply> {
    const send = (command: string, script: string): Promise<unknown> =>
      this.#client.customCommand([command, script, String(keys.length), ...keys, fenceText(fence), ...args]);
    return runScript(
      fence,
      () => send("EVALSHA", this.#script.sha),
      () => send("EVAL", this.#script.source),
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
    // Only the answer to all primaries tells which there are, each with a cursor of its own.
    const replies = (await this.#client.customCommand(command("0"), { route: "allPrimaries" })) as readonly NodeReply[];
    for (const { key, value } of replies) {
      const route = routeTo(String(key));
      yield* scanNode("", async (cursor) =>
        cursor === "0" ? value : this.#client.customCommand(command(cursor), { route }),
      );
    }
  }

  async unlink(keys: readonly string[]): Promise<void> {
    // In a cluster it divides the keys by their slots itself.
    await inTurn(keys, CALLS_AT_ONCE, (some) => this.#client.customCommand(["UNLINK", ...some]));
  }

  onLost(): () => void {
    return () => {};
  }
}

/** The host may be an address with colons. */
function routeTo(address: string): Route {
  const colon = address.lastIndexOf(":");
  return { type: "routeByAddress", host: address.slice(0, colon), port: Number(address.slice(colon + 1)) };
}
