import { FIND_REFUSAL } from "./refuse.ts";

/** Reads the call, carries out its transactions, writes every key that changed once, and answers. */
export const MAIN: string = `
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
local size = 0
local function answer(number)
  if number > LAST_EXACT then
    local halvings = 0
    while number > LAST_EXACT do
      number = number / 2
      halvings = halvings + 1
    end
    size = size + 1
    reply[size] = NEVER - halvings
  end
  size = size + 1
  reply[size] = number
end

local function answer_all(entries)
  for i = 1, #entries do answer(entries[i]) end
end

-- Every call one after another, up to the first take that is denied. Says how many were admitted.
local function tell_each(verb, calls, times)
  local admitted = 0
  for _ = 1, times do
    local entries = {}
    local conforms = transact(verb, calls, now, entries, true)
    answer_all(entries)
    if conforms then
      admitted = admitted + 1
    elseif verb == 't' then
      break
    end
  end
  return admitted
end

-- Says how many were admitted, and the figures of the first that was not.
local function tell_first_denied(verb, calls, times)
  local admitted = 0
  if #calls == 1 and times > 1 then admitted = apply_repeatedly(verb, calls[1], now, times) end
  local denied
  while admitted < times and not denied do
    local entries = {}
    if transact(verb, calls, now, entries, false) then
      admitted = admitted + 1
    else
      denied = entries
    end
  end
  local rest = times - admitted - 1
  if verb == 'c' and rest > 0 then
    if #calls == 1 then
      charge_denied(calls[1], now, rest)
    else
      for _ = 1, rest do transact(verb, calls, now, {}, false) end
    end
  end
  return admitted, denied
end

local function drop(call)
  local state = state_of(call.key)
  if not state.cells or until_new(call.plan, state.cells, now) > 0 then return 0 end
  keep(state, call.plan, nil)
  return 1
end

local function refund_repeatedly(call, times, taken)
  if not call.plan.starts_empty then return refund(call, now, call.costs, times, taken) end
  -- One may leave nothing in use, so that the key should have been forgotten, and the next finds it as it begins.
  for _ = 1, times do refund(call, now, call.costs, 1, taken) end
end

-- Says how many were admitted, once the rest is in the reply.
local function carry_out(verb, calls, times, each, taken)
  if verb == 'd' then return drop(calls[1]) end
  if verb == 'r' or verb == 'b' then
    for i = 1, #calls do refund_repeatedly(calls[i], times, taken) end
    return times
  end
  if verb == 'p' or verb == 'e' then
    local entries = {}
    local conforms = transact(verb, calls, now, entries, each)
    if each or not conforms then answer_all(entries) end
    return conforms and times or 0
  end
  if each then return tell_each(verb, calls, times) end
  local admitted, denied = tell_first_denied(verb, calls, times)
  if denied then answer_all(denied) end
  return admitted
end

local begins, calls_of = {}, {}
local count = next_number()
for i = 1, count do
  local verb = next_text()
  if verb == '@' then
    now = next_number()
    verb = next_text()
  end
  local told, times, taken = next_number(), next_number(), nil
  if verb == 'b' then taken = next_number() end
  local calls = read_calls(next_number())
  local place = size + 1
  size = place
  begins[i], calls_of[i] = place, calls
  if told >= 2 then
    size = size + 1
    reply[size] = now
  end
  reply[place] = carry_out(verb, calls, times, told % 2 == 1, taken)
end
begins[count + 1] = size + 1

-- What is refused stands in place of what was said of keys that would have been written.
local function refused(refusal)
  local told, size = {}, 0
  for i = 1, count do
    local is_refused = false
    for _, call in ipairs(calls_of[i]) do
      if states[call.key].writes then is_refused = true end
    end
    if is_refused then
      size = size + 1
      told[size] = refusal
    else
      for place = begins[i], begins[i + 1] - 1 do
        size = size + 1
        told[size] = reply[place]
      end
    end
  end
  return told
end

-- After a key is removed Redis lets the script go on where memory is short: what is kept comes first, and is written or not.
local sets, dels = {}, {}
for key, state in pairs(states) do
  if state.dirty then
    local left = state.cells and until_new(state.plan, state.cells, now) or 0
    if left > 0 then
      state.writes, state.left = true, left
      sets[#sets + 1] = key
    elseif state.kept then
      state.writes = true
      dels[#dels + 1] = key
    end
  end
end

local write = redis.pcall
local function try(...)
  local answer = write(...)
  write = redis.call
  local failed = type(answer) == 'table' and answer.err
  if not failed then return end
  ${FIND_REFUSAL}
  -- Raises any other error as it is.
  if not refusal then redis.call(...) end
  return refusal
end

for _, key in ipairs(sets) do
  local left, value = states[key].left, pack_cells(states[key].cells)
  local refusal
  if ARGV[2] == '' then
    -- The server's own base of PX may be a little earlier than what the script reads as the time.
    refusal = try('SET', KEYS[key], value, 'PXAT', min(ceil((now + left) / 1000) + extra, FARTHEST_MS))
  else
    -- A server counts from a whole millisecond that has begun.
    refusal = try('SET', KEYS[key], value, 'PX', min(ceil(left / 1000) + 1 + extra, FARTHEST_MS))
  end
  if refusal then return refused(refusal) end
end
for _, key in ipairs(dels) do
  local refusal = try('DEL', KEYS[key])
  if refusal then return refused(refusal) end
end
return reply
`;
