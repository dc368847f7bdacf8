import { READ_VALUES } from "./read-values.ts";
import { FIND_REFUSAL, refusedRuns } from "./refuse.ts";

/**
 * A shorter way for what is asked most: takes from one plan of one exact token bucket that enforces and starts full. It comes
 * before everything else is defined and has no functions of its own, for making and calling them costs as much as the arithmetic.
 * Arithmetic turns texts into numbers, quicker than `tonumber` does.
 *
 * What is taken here leaves no debt, and a bucket that was taken from is in use: no key is to be removed.
 */
export const ONE_BUCKET: string = `
if ARGV[4] == 'one' then
  local args, keys, call = ARGV, KEYS, redis.call
  local floor, ceil = math.floor, math.ceil
  local by_server = args[2] == ''
  local now
  if by_server then
    local time = call('TIME')
    now = time[1] * 1000000 + time[2]
  else
    now = args[2] + 0
  end
  local capacity, unit, origin, per_us = args[5] + 0, args[6] + 0, args[7] + 0, args[8] + 0
  local elapsed = now - origin
  local now_ticks = elapsed * per_us

${READ_VALUES}
  local reply, size = {}, 0
  local changed = {}
  -- Runs of keys, one after another, of which the same is asked. Below 0, the figures of each of so many calls are wanted.
  local at, arg_count = 9, #args
  while at <= arg_count do
    if args[at] == '0' then
      now = args[at + 1] + 0
      elapsed = now - origin
      now_ticks = elapsed * per_us
      at = at + 2
    end
    local times, cost = args[at + 2] + 0, args[at + 3] + 0
    local rounds, calls = 1, times
    if times < 0 then rounds, calls = -times, 1 end
    local asked = (cost - capacity) * unit
    local cost_ticks = cost * unit
    for key = args[at] + 0, args[at + 1] + 0 do
      local full = changed[key]
      if not full then
        local value = values[key]
        if not value then
          full = -math.huge
        elseif #value == 8 then
          full = struct.unpack('<d', value)
        elseif value == '' then
          full = 0
        else
          error('tollgate: key ' .. keys[key] .. ': expected a value of 8 bytes, got ' .. #value, 0)
        end
      end
      size = size + 1
      local place, all_admitted = size, 0
      for _ = 1, rounds do
        local from = full
        if from < now_ticks then from = now_ticks end
        local left = now_ticks - from - asked
        local admitted = 0
        if left >= 0 and cost == 0 then
          admitted = calls
        elseif left >= 0 then
          -- How often the cost fits into what is left: whole numbers below 2^53, of which a quotient is never rounded up to a whole.
          admitted = floor(left / cost_ticks) + 1
          if admitted > calls then admitted = calls end
          full = from + admitted * cost_ticks
          changed[key] = full
        end
        all_admitted = all_admitted + admitted
        if times < 0 or admitted < calls then
          local used, wait, used_after, reset = 0, 0, 0, 0
          if full > now_ticks then
            used = ceil((full - now_ticks) / unit)
            reset = ceil(full / per_us) - elapsed
          end
          if cost > capacity then
            wait = -1
          else
            if full + asked > now_ticks then wait = ceil((full + asked) / per_us) - elapsed end
            local then_ticks = (now + wait - origin) * per_us
            if full > then_ticks then used_after = ceil((full - then_ticks) / unit) end
          end
          reply[size + 1] = admitted == calls and 1 or 0
          reply[size + 2] = used
          reply[size + 3] = wait
          reply[size + 4] = used_after
          reply[size + 5] = reset
          size = size + 5
          -- Those after it are denied alike.
          if admitted == 0 then break end
        end
      end
      reply[place] = all_admitted
    end
    at = at + 4
  end

  local extra, set = args[3] + 0, redis.pcall
  local word = by_server and 'PXAT' or 'PX'
  for key, full in pairs(changed) do
    -- By a client's clock that moved on meanwhile it may be full by now.
    local left = ceil(full / per_us) - elapsed
    if left < 0 then left = 0 end
    local value, expires = struct.pack('<d', full), 0
    if by_server then
      expires = ceil((now + left) / 1000) + extra
    else
      expires = ceil(left / 1000) + 1 + extra
    end
    local answer = set('SET', keys[key], value, word, expires)
    local failed
    if set ~= call then
      -- Where the first is written, the others are.
      set = call
      failed = answer.err
    end
    if failed then
      ${FIND_REFUSAL}
      if not refusal then
        call('SET', keys[key], value, word, expires)
      else
        ${refusedRuns("9", 2, "1", "4")}
      end
    end
  end
  return reply
end
`;
