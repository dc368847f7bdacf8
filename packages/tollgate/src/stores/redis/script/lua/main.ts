/** Reads the call, carries out its transactions, writes every key that changed once, and answers. */
export const MAIN = `
local extra = tonumber(ARGV[3])
local now = time_of(ARGV[2])
local reply = {}

local plans = {}
for i = 1, next_number() do plans[i] = read_plan() end

local function read_calls(count)
  local calls = {}
  for i = 1, count do
    local call = { key = next_number(), plan = plans[next_number()], costs = {} }
    for limit = 1, call.plan.count do call.costs[limit] = next_number() end
    calls[i] = call
  end
  return calls
end

-- Clients are not exact beyond 2^53: what is greater goes as two numbers, of which the first says how often the second was halved.
local function answer(number)
  if number > LAST_EXACT then
    local halvings = 0
    while number > LAST_EXACT do
      number = number / 2
      halvings = halvings + 1
    end
    reply[#reply + 1] = NEVER - halvings
  end
  reply[#reply + 1] = number
end

for _ = 1, next_number() do
  local verb = next_text()
  local each = next_number() == 1 and verb ~= 'r'
  local times = next_number()
  local calls = read_calls(next_number())
  local admitted = 0
  local denied
  if verb == 'd' then
    local call, state = calls[1], state_of(calls[1].key)
    if state.cells and until_new(call.plan, state.cells, now) == 0 then
      keep(state, call.plan, nil)
      admitted = 1
    end
    times = 0
  end
  for _ = 1, times do
    local entries = {}
    local conforms = transact(verb, calls, now, entries, each)
    if each then
      answer(conforms and 1 or 0)
      for i = 1, #entries do answer(entries[i]) end
    elseif conforms then
      admitted = admitted + 1
    else
      denied = denied or entries
      -- The next would do the same, unless one key was asked for twice and given back.
      if verb ~= 'c' and verb ~= 'r' and #calls == 1 then break end
    end
  end
  if verb == 'd' or not each then answer(admitted) end
  if denied and verb ~= 'r' then
    for i = 1, #denied do answer(denied[i]) end
  end
end

for key, state in pairs(states) do
  if state.dirty then
    local left = state.cells and until_new(state.plan, state.cells, now) or 0
    if left > 0 then
      local value = pack_cells(state.cells)
      if ARGV[2] == '' then
        -- The server's own base of PX may be a little earlier than what the script reads as the time.
        redis.call('SET', KEYS[key], value, 'PXAT', min(ceil((now + left) / 1000) + extra, FARTHEST_MS))
      else
        -- A server counts from a whole millisecond that has begun.
        redis.call('SET', KEYS[key], value, 'PX', min(ceil(left / 1000) + 1 + extra, FARTHEST_MS))
      end
    elseif state.kept then
      redis.call('DEL', KEYS[key])
    end
  end
end
return reply
`;
