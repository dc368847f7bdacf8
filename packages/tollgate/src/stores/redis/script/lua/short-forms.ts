import { KEPT_FOR_TESTS_MS } from "./read-arguments.ts";
import { FIND_REJECTION } from "./rejected-writes.ts";

/**
 * How the short forms begin: the time, the values of all keys, and the reply. Lua's stack holds some thousands of
 * values, so they are read in portions. Arithmetic converts texts to numbers faster than `tonumber`.
 */
export const SHORT_FORM_START = `
  local args, keys, call = ARGV, KEYS, redis.call
  local floor, ceil, huge = math.floor, math.ceil, math.huge
  local by_server = args[2] == ''
  local now
  if by_server then
    local time = call('TIME')
    now = time[1] * 1000000 + time[2]
  else
    now = args[2] + 0
  end
  local values
  if #keys == 1 then
    values = { call('GET', keys[1]) }
  else
    values = {}
    for from = 1, #keys, 2000 do
      local to = from + 1999
      if to > #keys then to = #keys end
      local portion = call('MGET', unpack(keys, from, to))
      local missing, count = {}, 0
      for i = 1, to - from + 1 do
        if not portion[i] then
          count = count + 1
          missing[count] = keys[from + i - 1]
        end
      end
      -- MGET skips values of other types, too. GET raises an error for them.
      if count > 0 and call('EXISTS', unpack(missing)) > 0 then
        for i = 1, count do call('GET', missing[i]) end
      end
      if #keys <= 2000 then
        values = portion
      else
        for i = 1, to - from + 1 do values[from + i - 1] = portion[i] end
      end
    end
  end
  local reply, size = {}, 0
  local changed = {}
  local set = redis.pcall
  local word = by_server and 'PXAT' or 'PX'
`;

/** Where a short form's runs begin and how they are laid out, as Lua. */
export interface RunLayout {
  readonly start: string;
  /** The offset of `times` in a run. */
  readonly timesAt: number;
  /** The number of limits of the run at \`at\`. */
  readonly limits: string;
  /** The length of the run at \`at\`. */
  readonly width: string;
}

/**
 * Writes \`value\` to \`key\`, which is idle \`left\` microseconds from now. If the server rejects the first write,
 * the form ends. In its reply the rejection replaces the results of all keys that would have been written.
 */
export function shortFormWrite({ start, timesAt, limits, width }: RunLayout): string {
  return `
    local expires
    if by_server then
      expires = ceil((now + left) / 1000)
    else
      expires = ceil(left / 1000) + ${KEPT_FOR_TESTS_MS}
    end
    local answer = set('SET', keys[key], value, word, expires)
    local failed
    if set ~= call then
      -- If the first write succeeds, the others do.
      set = call
      failed = answer.err
    end
    if failed then
      ${FIND_REJECTION}
      if not rejection then
        call('SET', keys[key], value, word, expires)
      else
        local final, rejected, size, place, at = {}, {}, 0, 1, ${start}
        while at <= #args do
          local times, count = args[at + ${timesAt}] + 0, ${limits}
          for key = args[at] + 0, args[at + 1] + 0 do
            local admitted = reply[place]
            local reports = admitted < times and 1 or 0
            if times < 0 then reports = admitted < -times and admitted + 1 or admitted end
            local after = place + 1 + 5 * count * reports
            if changed[key] and (admitted > 0 or rejected[key]) then
              rejected[key] = true
              size = size + 1
              final[size] = rejection
            else
              for i = place, after - 1 do
                size = size + 1
                final[size] = reply[i]
              end
            end
            place = after
          end
          at = at + ${width}
        end
        return final
      end
    end
`;
}
