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
local function answer_all(entries)
  for i = 1, #entries do
    local number = entries[i]
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
end

local begins, calls_of = {}, {}
local count = next_number()
for i = 1, count do
  current = i
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
  local each = told % 2 == 1
  local admitted = 0
  if verb == 'd' then
    local call, state = calls[1], state_of(calls[1].key)
    if state.cells and until_new(call.plan, state.cells, now) == 0 then
      keep(state, call.plan, nil)
      admitted = 1
    end
  elseif verb == 'r' or verb == 'b' then
    admitted = times
    for j = 1, #calls do repeats().refund(calls[j], now, calls[j].costs, times, taken) end
  elseif verb == 'p' or verb == 'e' then
    local entries = {}
    if transact(verb, calls, now, entries, each) then admitted = times end
    if each or admitted == 0 then answer_all(entries) end
  else
    if not each and times > 1 and #calls == 1 then admitted = repeats().take(verb, calls[1], now, times) end
    local is_denied = false
    while admitted < times and not is_denied do
      local entries = {}
      is_denied = not transact(verb, calls, now, entries, each)
      if not is_denied then admitted = admitted + 1 end
      if each or is_denied then answer_all(entries) end
    end
    -- Takes are denied alike from then on; what is charged is charged.
    local rest = verb == 'c' and times - admitted - 1 or 0
    if rest > 0 and not each and #calls == 1 then
      repeats().charge(calls[1], now, rest)
    else
      for _ = 1, rest do
        local entries = {}
        transact(verb, calls, now, entries, each)
        if each then answer_all(entries) end
      end
    end
  end
  reply[place] = admitted
end
begins[count + 1] = size + 1

-- After a key is removed Redis lets a script go on where memory is short: what is kept is written first.
local kept, removed = {}, {}
for key, state in pairs(states) do
  if state.dirty then
    state.left = state.cells and until_new(state.plan, state.cells, now) or 0
    if state.left > 0 then
      kept[#kept + 1] = key
    elseif state.kept then
      removed[#removed + 1] = key
    end
  end
end

local write = redis.pcall
for i = 1, #kept + #removed do
  local key = kept[i] or removed[i - #kept]
  local state = states[key]
  local command = { 'DEL', KEYS[key] }
  if kept[i] and ARGV[2] == '' then
    -- The server's own base of PX may be a little earlier than what the script reads as the time.
    local expires = min(ceil((now + state.left) / 1000) + extra, FARTHEST_MS)
    command = { 'SET', KEYS[key], pack_cells(state.cells), 'PXAT', expires }
  elseif kept[i] then
    -- A server counts from a whole millisecond that has begun.
    local expires = min(ceil(state.left / 1000) + 1 + extra, FARTHEST_MS)
    command = { 'SET', KEYS[key], pack_cells(state.cells), 'PX', expires }
  end
  local answer = write(unpack(command))
  -- Where the first is written, the others are.
  write = redis.call
  local failed = type(answer) == 'table' and answer.err
  if failed then
    ${FIND_REFUSAL}
    if not refusal then return redis.call(unpack(command)) end
    for _, list in ipairs({ kept, removed }) do
      for _, unwritten in ipairs(list) do states[unwritten].refused_from = states[unwritten].dirty end
    end
    local told = {}
    for j = 1, count do
      local is_refused = false
      for _, call in ipairs(calls_of[j]) do
        if (states[call.key].refused_from or huge) <= j then is_refused = true end
      end
      if is_refused then
        told[#told + 1] = refusal
      else
        for place = begins[j], begins[j + 1] - 1 do told[#told + 1] = reply[place] end
      end
    end
    return told
  end
end
return reply
`;
