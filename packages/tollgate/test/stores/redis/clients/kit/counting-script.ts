import { createHash } from "node:crypto";
import { createCancelFlag } from "../../../../../src/stores/redis/clients/cancel-flag.ts";
import type { RedisScript, ScriptCall } from "../../../../../src/stores/redis/clients/redis-port.ts";

/** Counts in each of its keys how often it was carried out, and gives the counts and how many arguments follow the fence's. */
const SOURCE = `if ARGV[1] ~= '1' then return {} end
local reply = {}
for i, key in ipairs(KEYS) do reply[i] = redis.call('INCR', key) end
reply[#reply + 1] = #ARGV - 1
return reply`;

export const COUNTING_SCRIPT: RedisScript = scriptOf(SOURCE);

export function scriptOf(source: string): RedisScript {
  return { source, sha: createHash("sha1").update(source).digest("hex") };
}

/** A call with a fence of its own, open. */
export function callOf(keys: readonly string[], args: readonly string[] = []): ScriptCall {
  return { keys, args, cancelFlag: createCancelFlag() };
}
