import { readRow } from "../../../kit/read-row.ts";
import { askRaw } from "../../../servers/ask.ts";
import type { RedisServer } from "../../../servers/redis-server.ts";
import { textOf } from "../../../servers/resp.ts";
import { KEY } from "./node-lane.ts";

/** The moment until which leases matter comes first. */
const SUM_AT = 8;

/** Units in leases of the only key with a prefix: what the server counts for nodes. */
export async function leasedUnits({ port }: RedisServer, prefix: string): Promise<number> {
  const names = textOf(await askRaw(port, ["KEYS", `${prefix}:*{${KEY}}`])) as readonly string[];
  if (names.length !== 1) throw new Error(`expected one key, got ${names.length}`);
  const row = await askRaw(port, ["GET", names[0]!]);
  const leases = readRow(row).entries.find(({ kind }) => kind === "l");
  return leases === undefined ? 0 : leases.data.readDoubleLE(SUM_AT);
}
