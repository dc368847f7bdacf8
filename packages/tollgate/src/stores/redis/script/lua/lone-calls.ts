import { FIRST_ORIGIN_US } from "../epoch.ts";
import { BUCKET_FIGURES } from "./one-bucket.ts";

/**
 * The forms for the most frequent calls: one take of at least one unit, from one enforced limit, at the server's time.
 * Each reads, decides and writes one key. What they cannot answer, such as a denial, they hand to the general forms as
 * if the call had come in one of these. The first argument names the form. Without figures the reply is a number alone.
 * A capital asks for figures: the units in use and the time until idle if the same cost conforms again at once,
 * otherwise the general reply.
 */
export const LONE_CALLS: string = `
local ARGV, form = ARGV, ARGV[1]

if form == 'b' or form == 'B' then
  -- A token bucket, as in the form 'one'.
  -- Arguments: capacity, ticks of a unit, ticks of a microsecond; the cost unless it is 1.
  local capacity, unit, per_us, cost = ARGV[2] + 0, ARGV[3] + 0, ARGV[4] + 0, (ARGV[5] or 1) + 0
  local origin, ceil = ${FIRST_ORIGIN_US}, math.ceil
  local time = redis.call('TIME')
  local now = time[1] * 1000000 + time[2]
  local elapsed = now - origin
  local now_ticks = elapsed * per_us
  local asked = (cost - capacity) * unit
  local value = redis.call('GET', KEYS[1])
  if not value or #value == 8 then
    local full = value and struct.unpack('<d', value) or now_ticks
    if full < now_ticks then full = now_ticks end
    if now_ticks - full >= asked then
      full = full + cost * unit
      local expires = ceil((ceil(full / per_us) + origin) / 1000)
      if redis.pcall('SET', KEYS[1], struct.pack('<d', full), 'PXAT', expires).ok then
        if form == 'b' then return 1 end
${BUCKET_FIGURES}
        if wait == 0 then return { used, reset } end
        return { 1, 1, used, wait, used_after, reset }
      end
    end
  end
  local times = form == 'b' and '1' or '-1'
  ARGV = { '1', '', '0', 'one', capacity, unit, origin, per_us, '1', '1', times, cost }
elseif form == 'f' or form == 'F' then
  -- A fixed window. Arguments: capacity, window, whether it opens by the clock; the cost unless it is 1.
  local capacity, window, by_clock, cost = ARGV[2] + 0, ARGV[3] + 0, ARGV[4], (ARGV[5] or 1) + 0
  local time = redis.call('TIME')
  local now = time[1] * 1000000 + time[2]
  local value = redis.call('GET', KEYS[1])
  if not value or #value == 16 then
    local opened, used = 0, 0
    if value then opened, used = struct.unpack('<dd', value) end
    if opened + window <= now or used == 0 then
      opened, used = now, 0
      if by_clock == '1' then opened = math.floor(now / window) * window end
    end
    used = used + cost
    if used <= capacity then
      local ends = opened + window
      local expires = math.ceil(ends / 1000)
      if redis.pcall('SET', KEYS[1], struct.pack('<dd', opened, used), 'PXAT', expires).ok then
        if form == 'f' then return 1 end
        if used + cost <= capacity then return { used, ends - now } end
        return { 1, 1, used, ends - now, 0, ends - now }
      end
    end
  end
  local flags = form == 'f' and '0' or '1'
  ARGV = {
    '1', '', '0', '1', '1', '0', 'f', '1', '1', capacity, window, by_clock, '1', 'take', flags, '1', '1', '1', '1', cost
  }
end
`;
