import { askRaw } from "./ask.ts";
import { clusterView } from "./cluster-view.ts";
import type { RedisServer } from "./redis-server.ts";
import { type RawReply, textOf } from "./resp.ts";

/** The migration of a slot between primaries, in steps: open, move keys, finish. */
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
   * Opens the migration. The old primary then serves the keys that it has and replies ASK for others. The new primary
   * serves those after ASKING.
   */
  static async begin(slot: number, from: RedisServer, to: RedisServer): Promise<SlotMove> {
    await to.command("CLUSTER", "SETSLOT", slot, "IMPORTING", await idOf(from));
    await from.command("CLUSTER", "SETSLOT", slot, "MIGRATING", await idOf(to));
    return new SlotMove(slot, from, to);
  }

  /** Moves at most so many keys. Returns how many it moved. */
  async moveKeys(count: number): Promise<number> {
    const keys = (await askRaw(this.#from.port, ["CLUSTER", "GETKEYSINSLOT", this.slot, count])) as readonly RawReply[];
    if (keys.length === 0) return 0;
    const { host, port } = this.#to;
    textOf(await askRaw(this.#from.port, ["MIGRATE", host, port, "", 0, 5_000, "KEYS", ...(keys as Buffer[])]));
    return keys.length;
  }

  /** Moves the rest and ends the migration on all primaries. */
  async finish(): Promise<void> {
    while ((await this.moveKeys(100)) > 0);
    const newId = await idOf(this.#to);
    const ports = (await clusterView(this.#to.port))
      .filter(({ role, hasFailed }) => role === "primary" && !hasFailed)
      .map(({ port }) => port)
      .filter((port) => port !== this.#to.port && port !== this.#from.port);
    // The new primary first: otherwise it would redirect clients back to the old one.
    for (const port of [this.#to.port, this.#from.port, ...ports]) {
      textOf(await askRaw(port, ["CLUSTER", "SETSLOT", this.slot, "NODE", newId]));
    }
  }
}

async function idOf(node: RedisServer): Promise<string> {
  return String(await node.command("CLUSTER", "MYID"));
}
