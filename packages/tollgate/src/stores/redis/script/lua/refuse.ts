import { REFUSALS } from "../refusals.ts";

/** The texts of refusals, as a list in Lua. */
const TEXTS = REFUSALS.map(([, text]) => `"${text}"`).join(", ");

/**
 * What a server says that refuses the first write is found in the list of refusals, as `refusal`; it is nil if it is none of them. Some
 * errors are only raised by \`call\`: the same is tried again so.
 */
export const FIND_REFUSAL: string = `
  local refusal
  for number, text in ipairs({ ${TEXTS} }) do
    if not refusal and string.find(failed, text, 1, true) then refusal = -number end
  end
`;

/**
 * The answer of a shorter way where the server refuses to write: in place of what was said of keys from when they would have been written
 * stands the refusal. \`count\` is the Lua for how many limits the run at hand has, \`timesAt\` where its times stand, \`width\` the Lua for its length.
 */
export function refusedRuns(start: string, timesAt: number, count: string, width: string): string {
  return `
      local told, refused, size, place, at = {}, {}, 0, 1, ${start}
      while at <= #args do
        if args[at] == '0' then
          at = at + 2
        else
          local times, count = args[at + ${timesAt}] + 0, ${count}
          for key = args[at] + 0, args[at + 1] + 0 do
            local admitted = reply[place]
            local reports = admitted < times and 1 or 0
            if times < 0 then reports = admitted < -times and admitted + 1 or admitted end
            local after = place + 1 + 5 * count * reports
            if changed[key] and (admitted > 0 or refused[key]) then
              refused[key] = true
              size = size + 1
              told[size] = refusal
            else
              for i = place, after - 1 do
                size = size + 1
                told[size] = reply[i]
              end
            end
            place = after
          end
          at = at + ${width}
        end
      end
      return told
`;
}
