import { FIRST_ORIGIN_US } from "../epoch.ts";
import { NEEDS_LAYOUTS } from "../layout.ts";
import { BUCKET_FIGURES } from "./one-bucket.ts";
import { LAST_SENT } from "./read-arguments.ts";

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
  -- Arguments: capacity, ticks of a unit, ticks of a microsecond, the cost, the head of the layout.
  local capacity, unit, per_us, cost, head = ARGV[2] + 0, ARGV[3] + 0, ARGV[4] + 0, ARGV[5] + 0, ARGV[6]
  local origin, ceil = ${FIRST_ORIGIN_US}, math.ceil
  local time = redis.call('TIME')
  local now = time[1] * 1000000 + time[2]
  local elapsed = now - origin
  local now_ticks = elapsed * per_us
  local asked = (cost - capacity) * unit
  local value = redis.call('GET', KEYS[1])
  if not value or (#value == 16 and string.sub(value, 1, 8) == head) then
    local full = value and struct.unpack('<d', value, 9) or now_ticks
    if full < now_ticks then full = now_ticks end
    if now_ticks - full >= asked then
      full = full + cost * unit
      local expires = ceil((ceil(full / per_us) + origin) / 1000)
      if redis.pcall('SET', KEYS[1], head .. struct.pack('<d', full), 'PXAT', expires).ok then
        if form == 'b' then return 1 end
${BUCKET_FIGURES}
        if wait == 0 then return { used, reset } end
        return { 1, 1, used, wait, used_after, reset }
      end
    end
  end
  local times = form == 'b' and '1' or '-1'
  ARGV = { '1', '', 'one', capacity, unit, origin, per_us, head, '1', '1', times, cost }
elseif form == 'f' or form == 'F' then
  -- A fixed window. Arguments: capacity, window, whether it opens by the clock, the cost, the head of the layout.
  local capacity, window, by_clock, cost, head = ARGV[2] + 0, ARGV[3] + 0, ARGV[4], ARGV[5] + 0, ARGV[6]
  local time = redis.call('TIME')
  local now = time[1] * 1000000 + time[2]
  local value = redis.call('GET', KEYS[1])
  if not value or (#value == 24 and string.sub(value, 1, 8) == head) then
    local opened, used = 0, 0
    if value then opened, used = struct.unpack('<dd', value, 9) end
    if opened + window <= now or used == 0 then
      opened, used = now, 0
      if by_clock == '1' then opened = math.floor(now / window) * window end
    end
    used = used + cost
    if used <= capacity then
      local ends = opened + window
      local expires = math.ceil(ends / 1000)
      if redis.pcall('SET', KEYS[1], head .. struct.pack('<dd', opened, used), 'PXAT', expires).ok then
        if form == 'f' then return 1 end
        local conforms = used + cost <= capacity
        if used > ${LAST_SENT} then used = string.format('%.0f', used) end
        if conforms then return { used, ends - now } end
        return { 1, 1, used, ends - now, 0, ends - now }
      end
    end
  end
  if value and #value >= 8 and string.sub(value, 1, 8) ~= head then
    return { ${NEEDS_LAYOUTS}, string.byte(value, 1, 8) }
  end
  local flags = form == 'f' and '0' or '1'
  -- The value has this layout, so the identities of the limit and of its name are not compared.
  ARGV = {
    '1', '', '1', '1', '0', head, 'f', '1', '2', capacity, window, by_clock, '0', '0', head, head, '2', '0',
    '0', '1', 'take', flags, '1', '1', '1', '1', cost
  }
end
`;
