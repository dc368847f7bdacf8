/** Names for what the script uses throughout, and the reading of its arguments one after another. */
export const ARGUMENTS = `
local floor, ceil, max, min, huge = math.floor, math.ceil, math.max, math.min, math.huge
local LAST_EXACT = 9007199254740991
-- Redis refuses expiries that its clock could not count to.
local FARTHEST_MS = 4503599627370496
local NEVER = -1
local ENTRY = 5

local extra = tonumber(ARGV[3])
-- Microseconds by which clients' clocks may be apart.
local skew = extra * 1000

local cursor = 3

local function next_text()
  cursor = cursor + 1
  return ARGV[cursor]
end

local function next_number()
  cursor = cursor + 1
  return tonumber(ARGV[cursor])
end

local function time_of(text)
  if text ~= '' then return tonumber(text) end
  local time = redis.call('TIME')
  return time[1] * 1000000 + time[2]
end
`;
