import { createHash } from "node:crypto";
import { CancelFlag, RUN } from "../../../../../src/stores/redis/clients/cancel-flag.ts";
import type { RedisScript, ScriptCall } from "../../../../../src/stores/redis/clients/redis-port.ts";

/** A script that counts its runs in each key. Replies the counts and the number of arguments after the cancel flag. */
const SOURCE = `if ARGV[1] ~= '1' then return {} end
local reply = {}
for i, key in ipairs(KEYS) do reply[i] = redis.call('INCR', key) end
reply[#reply + 1] = #ARGV - 1
return reply`;

export const COUNTING_SCRIPT: RedisScript = scriptOf(SOURCE);

export function scriptOf(source: string): RedisScript {
  return { source, sha: createHash("sha1").update(source).digest("hex") };
}

/** A call with its own cancel flag. */
export function callOf(keys: readonly string[], args: readonly string[] = []): ScriptCall {
  return { keys, args, cancelFlag: new CancelFlag(RUN) };
}
