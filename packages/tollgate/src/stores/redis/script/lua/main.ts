import { FIND_REJECTION } from "./rejected-writes.ts";

/** Reads the call, runs its transactions, writes every changed key once, and replies. */
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

-- Clients are not exact beyond 2^53. A greater number is sent halved, after how often it was halved.
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

local function run_reads(verb, calls, times, each)
  local entries = {}
  local admitted = transact(verb, calls, now, entries, each) and times or 0
  if each or admitted == 0 then answer_all(entries) end
  return admitted
end

local function run_takes(verb, calls, times, each)
  local admitted = 0
  if not each and times > 1 and #calls == 1 then admitted = repeats().take(verb, calls[1], now, times) end
  local is_denied = false
  while admitted < times and not is_denied do
    local entries = {}
    is_denied = not transact(verb, calls, now, entries, each)
    if not is_denied then admitted = admitted + 1 end
    if each or is_denied then answer_all(entries) end
  end
  -- The takes after a denial are denied alike; charges never stop.
  local rest = verb.charges and times - admitted - 1 or 0
  if rest > 0 and not each and #calls == 1 then
    repeats().charge(calls[1], now, rest)
  else
    for _ = 1, rest do
      local entries = {}
      transact(verb, calls, now, entries, each)
      if each then answer_all(entries) end
    end
  end
  return admitted
end

-- Returns how many of the calls were admitted.
local function run(verb, calls, times, each, taken)
  if verb.removes_idle then
    local call, state = calls[1], state_of(calls[1].key)
    if not state.cells or idle_in(call.plan, state.cells, now) > 0 then return 0 end
    mark_dirty(state, call.plan, nil)
    return 1
  end
  if verb.gives_back then
    for j = 1, #calls do repeats().refund(calls[j], now, calls[j].costs, times, taken) end
    return times
  end
  if verb.changes then return run_takes(verb, calls, times, each) end
  return run_reads(verb, calls, times, each)
end

local begins, calls_of = {}, {}
local count = next_number()
for i = 1, count do
  current = i
  local name = next_text()
  if name == '@' then
    now = next_number()
    name = next_text()
  end
  local flags, times, taken = next_number(), next_number(), nil
  if flags >= 4 then taken = next_number() end
  local calls = read_calls(next_number())
  local place = size + 1
  size = place
  begins[i], calls_of[i] = place, calls
  if flags % 4 >= 2 then
    size = size + 1
    reply[size] = now
  end
  reply[place] = run(VERBS[name], calls, times, flags % 2 == 1, taken)
end
begins[count + 1] = size + 1

-- After a script removes a key, Redis no longer rejects its writes for lack of memory. So removals come last.
local stored, removed = {}, {}
for key, state in pairs(states) do
  if state.dirty then
    state.left = state.cells and idle_in(state.plan, state.cells, now) or 0
    if state.left > 0 then
      stored[#stored + 1] = key
    elseif state.exists then
      removed[#removed + 1] = key
    end
  end
end

local write = redis.pcall
for i = 1, #stored + #removed do
  local key = stored[i] or removed[i - #stored]
  local state = states[key]
  local command = { 'DEL', KEYS[key] }
  if stored[i] and ARGV[2] == '' then
    -- PX counts from a time of the server that may be slightly earlier than TIME in a script.
    local expires = min(ceil((now + state.left) / 1000) + extra, FARTHEST_MS)
    command = { 'SET', KEYS[key], pack_cells(state.cells), 'PXAT', expires }
  elseif stored[i] then
    -- The server counts from the start of the current millisecond.
    local expires = min(ceil(state.left / 1000) + 1 + extra, FARTHEST_MS)
    command = { 'SET', KEYS[key], pack_cells(state.cells), 'PX', expires }
  end
  local answer = write(unpack(command))
  -- If the first write succeeds, the others do.
  write = redis.call
  local failed = type(answer) == 'table' and answer.err
  if failed then
    ${FIND_REJECTION}
    if not rejection then return redis.call(unpack(command)) end
    for _, list in ipairs({ stored, removed }) do
      for _, unwritten in ipairs(list) do states[unwritten].rejected_from = states[unwritten].dirty end
    end
    local final = {}
    for j = 1, count do
      local is_rejected = false
      for _, call in ipairs(calls_of[j]) do
        if (states[call.key].rejected_from or huge) <= j then is_rejected = true end
      end
      if is_rejected then
        final[#final + 1] = rejection
      else
        for place = begins[j], begins[j + 1] - 1 do final[#final + 1] = reply[place] end
      end
    end
    return final
  end
end
return reply
`;
