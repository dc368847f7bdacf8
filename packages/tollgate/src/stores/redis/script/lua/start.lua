-- The one script, for Redis from 6.2 and Valkey from 7. It accesses no key outside KEYS and sets no global. Its numbers
-- are float64, so it decides as the kernels do, to the bit. `encode-call.ts` writes its arguments, `decode-reply.ts`
-- reads its reply. The files of this folder are joined: each may use the local names of those before it.

-- A cancelled call does nothing. For a '2' nothing is written: the reply has the keys that would be.
if ARGV[1] ~= '1' and ARGV[1] ~= '2' then return {} end

local args, arg_count, keys = ARGV, #ARGV, KEYS
local floor, ceil, max, min = math.floor, math.ceil, math.max, math.min
local LAST_EXACT = 9007199254740991
-- The cell of a bucket that nothing was taken from, and of a group that left its ring: earlier than all moments.
local LONG_AGO = -18014398509481984
local NEVER = -1
-- How many numbers a reply has for each limit.
local ENTRY = 5
-- A value begins with it, so that a version of the library never misreads the values of another.
local VERSION = ROW_VERSION

-- The argument that was read last.
local at = 1
-- Ticks of buckets count from the origin. Tests give a time, and another origin.
local now_us, origin
local by_server = string.byte(args[2]) ~= 64
if by_server then
  local time = redis.call('TIME')
  now_us, origin = time[1] * 1000000 + time[2], ORIGIN_US
else
  local given_us, given_origin = string.match(args[2], '^@(%S+) (%S+)$')
  now_us, origin, at = given_us + 0, given_origin + 0, 2
end

-- The values of all keys. Lua's stack holds some thousands of values, so they are read in portions. MGET skips values
-- of other types: GET raises an error for them, when their turn comes.
local values, has_other_types = {}, false
if #keys == 1 then
  local value = redis.pcall('GET', keys[1])
  if type(value) == 'string' then values[1] = value end
  has_other_types = type(value) == 'table'
else
  for from = 1, #keys, 2000 do
    local to = min(from + 1999, #keys)
    local portion = redis.call('MGET', unpack(keys, from, to))
    local missing, count = {}, 0
    for i = 1, to - from + 1 do
      if portion[i] then
        values[from + i - 1] = portion[i]
      else
        count = count + 1
        missing[count] = keys[from + i - 1]
      end
    end
    if count > 0 and redis.call('EXISTS', unpack(missing)) > 0 then has_other_types = true end
  end
end

-- The reply begins with the moment of the decisions.
local reply, size = { now_us }, 1
-- Transactions are numbered in their order.
local current = 0
-- The keys that were changed: true, or 'may' where a reply that gives nothing holds without the change.
local to_write = {}
-- The keys that `take-from-buckets.lua` decides have a row here, the others a state.
local rows, states = {}, {}
-- The receipts that were changed, by their keys.
local receipts = {}

