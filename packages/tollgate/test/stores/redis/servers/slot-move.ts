import { askRaw } from "./ask.ts";
import { clusterView } from "./cluster-view.ts";
import type { RedisServer } from "./redis-server.ts";
import { type RawReply, textOf } from "./resp.ts";

/** A slot on its way from one primary to another, in steps: open it, move keys, finish. */
export class SlotMove {
  readonly slot: number;
  readonly #from: RedisServer;
  readonly #to: RedisServer;

  private constructor(slot: number, from: RedisServer, to: RedisServer) {
    this.slot = slot;
    this.#from = from;
    this.#to = to;
  }

  /**
   * Opens the slot: from now on the old primary serves the keys that it has and answers ASK for others, which the new primary
   * serves after ASKING.
   */
  static async begin(slot: number, from: RedisServer, to: RedisServer): Promise<SlotMove> {
    await to.command("CLUSTER", "SETSLOT", slot, "IMPORTING", await idOf(from));
    await from.command("CLUSTER", "SETSLOT", slot, "MIGRATING", await idOf(to));
    return new SlotMove(slot, from, to);
  }

  /** Moves so many keys, or fewer when there are no more; gives how many. */
  async moveKeys(count: number): Promise<number> {
    const keys = (await askRaw(this.#from.port, ["CLUSTER", "GETKEYSINSLOT", this.slot, count])) as readonly RawReply[];
    if (keys.length === 0) return 0;
    const { host, port } = this.#to;
    textOf(await askRaw(this.#from.port, ["MIGRATE", host, port, "", 0, 5_000, "KEYS", ...(keys as Buffer[])]));
    return keys.length;
  }

  /** Moves what is left and closes the slot: it is the new primary's, and all primaries know. */
  async finish(): Promise<void> {
    while ((await this.moveKeys(100)) > 0);
    const newId = await idOf(this.#to);
    const ports = (await clusterView(this.#to.port))
      .filter(({ role, hasFailed }) => role === "primary" && !hasFailed)
      .map(({ port }) => port)
      .filter((port) => port !== this.#to.port && port !== this.#from.port);
    // The new primary first: if it did not know, a client that the old one sends there would be sent back.
    for (const port of [this.#to.port, this.#from.port, ...ports]) {
      textOf(await askRaw(port, ["CLUSTER", "SETSLOT", this.slot, "NODE", newId]));
    }
  }
}

async function idOf(node: RedisServer): Promise<string> {
  return String(await node.command("CLUSTER", "MYID"));
}
