-- Constants and math functions that the script uses throughout, and the functions that read its arguments in order.

local floor, ceil, max, min, huge = math.floor, math.ceil, math.max, math.min, math.huge
local LAST_EXACT = 9007199254740991
-- The latest expiry that Redis accepts.
local FARTHEST_MS = 4503599627370496
-- The last whole number that clients read exactly from a reply. One adds the code of the last digit before it subtracts
-- the code of zero, and that sum is not exact beyond 2^53.
local LAST_SENT = LAST_EXACT - 48
local NEVER = -1
local ENTRY = 5

local cursor = 2

local function next_text()
  cursor = cursor + 1
  return ARGV[cursor]
end

local function next_number()
  cursor = cursor + 1
  return tonumber(ARGV[cursor])
end

-- A number for the reply. A greater one is sent as text, which every client reads exactly.
local function sent(number)
  if number > LAST_SENT then return string.format('%.0f', number) end
  return number
end

local function time_of(text)
  if text ~= '' then return tonumber(text) end
  local time = redis.call('TIME')
  return time[1] * 1000000 + time[2]
end
