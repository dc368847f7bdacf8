import { FIRST_ORIGIN_US } from "../epoch.ts";

/**
 * The forms for the most frequent calls: one take of at least one unit, from one enforced limit, at the server's time.
 * Each reads, decides and writes one key, and replies with a number alone. What they cannot answer, such as a denial,
 * they hand to the general forms as if the call had come in one of these. The first argument names the form.
 */
export const LONE_CALLS: string = `
local ARGV = ARGV

if ARGV[1] == 'b' then
  -- A token bucket, as in the form 'one'.
  -- Arguments: capacity, ticks of a unit, ticks of a microsecond; the cost unless it is 1.
  local capacity, unit, per_us, cost = ARGV[2], ARGV[3] + 0, ARGV[4] + 0, (ARGV[5] or 1) + 0
  local time = redis.call('TIME')
  local now_ticks = (time[1] * 1000000 + time[2] - ${FIRST_ORIGIN_US}) * per_us
  local value = redis.call('GET', KEYS[1])
  if not value or #value == 8 then
    local full = value and struct.unpack('<d', value) or now_ticks
    if full < now_ticks then full = now_ticks end
    if now_ticks - full >= (cost - capacity) * unit then
      full = full + cost * unit
      local expires = math.ceil((math.ceil(full / per_us) + ${FIRST_ORIGIN_US}) / 1000)
      if redis.pcall('SET', KEYS[1], struct.pack('<d', full), 'PXAT', expires).ok then return 1 end
    end
  end
  ARGV = { '1', '', '0', 'one', capacity, unit, '${FIRST_ORIGIN_US}', per_us, '1', '1', '1', cost }
elseif ARGV[1] == 'f' then
  -- A fixed window. Arguments: capacity, window, whether it opens by the clock; the cost unless it is 1.
  local capacity, window, by_clock, cost = ARGV[2], ARGV[3] + 0, ARGV[4], ARGV[5] or 1
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
    if used <= capacity + 0 then
      local expires = math.ceil((opened + window) / 1000)
      if redis.pcall('SET', KEYS[1], struct.pack('<dd', opened, used), 'PXAT', expires).ok then return 1 end
    end
  end
  ARGV = {
    '1', '', '0', '1', '1', '0', 'f', '1', '1', capacity, window, by_clock, '1', 'take', '0', '1', '1', '1', '1', cost
  }
end
`;
