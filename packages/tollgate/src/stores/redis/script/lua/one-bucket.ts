import { NEEDS_LAYOUTS } from "../layout.ts";
import { SHORT_FORM_START, shortFormWrite } from "./short-forms.ts";

/** The figures of one bucket after a call. */
export const BUCKET_FIGURES = `
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
`;

/**
 * The short form for the most frequent call: takes from one plan of one exact token bucket that enforces and starts
 * full. It runs before the rest is defined, and defines no functions: to create and call them costs as much as the
 * arithmetic.
 *
 * Takes leave no debt, and a bucket that was taken from is in use, so no key is removed.
 */
export const ONE_BUCKET: string = `
if ARGV[3] == 'one' then
${SHORT_FORM_START}
  local capacity, unit, origin, per_us, head = args[4] + 0, args[5] + 0, args[6] + 0, args[7] + 0, args[8]
  local elapsed = now - origin
  local now_ticks = elapsed * per_us

  -- Each run is a range of keys with the same call. Negative times request a report per call.
  local at, arg_count = 9, #args
  while at <= arg_count do
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
          full = -huge
        elseif #value >= 8 and string.sub(value, 1, 8) ~= head then
          return { ${NEEDS_LAYOUTS}, string.byte(value, 1, 8) }
        elseif #value == 16 then
          full = struct.unpack('<d', value, 9)
        elseif #value == 8 then
          full = 0
        else
          error('tollgate: key ' .. keys[key] .. ': expected a value of 8-byte cells, got ' .. #value .. ' bytes', 0)
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
          -- How often the cost fits. A quotient of whole numbers below 2^53 is never rounded up to a whole.
          admitted = floor(left / cost_ticks) + 1
          if admitted > calls then admitted = calls end
          full = from + admitted * cost_ticks
          changed[key] = full
        end
        all_admitted = all_admitted + admitted
        if times < 0 or admitted < calls then
${BUCKET_FIGURES}
          reply[size + 1] = admitted == calls and 1 or 0
          reply[size + 2] = used
          reply[size + 3] = wait
          reply[size + 4] = used_after
          reply[size + 5] = reset
          size = size + 5
          -- The calls after it are denied alike.
          if admitted == 0 then break end
        end
      end
      reply[place] = all_admitted
    end
    at = at + 4
  end

  for key, full in pairs(changed) do
    local left = ceil(full / per_us) - elapsed
    local value = head .. struct.pack('<d', full)
${shortFormWrite({ start: "9", timesAt: 2, limits: "1", width: "4" })}
  end
  return reply
end
`;
