import { LEASE } from "../../../../../../src/stores/redis/script/layout.ts";
import { askRaw } from "../../../servers/ask.ts";
import type { RedisServer } from "../../../servers/redis-server.ts";
import { textOf } from "../../../servers/resp.ts";
import { KEY } from "./node-lane.ts";

/** A section begins with what it is and whose, and four numbers. The sum of the units follows. */
const SUM_AT = 48;

/** Units in leases of the only key with a prefix: what the server counts for nodes. */
export async function leasedUnits({ port }: RedisServer, prefix: string): Promise<number> {
  const names = textOf(await askRaw(port, ["KEYS", `${prefix}:*{${KEY}}`])) as readonly string[];
  if (names.length !== 1) throw new Error(`expected one key, got ${names.length}`);
  const row = await askRaw(port, ["GET", names[0]!]);
  if (!Buffer.isBuffer(row)) throw new Error("expected a row");
  const at = row.indexOf(LEASE);
  return at < 0 ? 0 : row.readDoubleLE(at + SUM_AT);
}
