-- Reads the call, runs its transactions, writes every changed key once, and replies.

local now = time_of(ARGV[2])
local reply = {}

local plans = {}
for i = 1, next_number() do plans[i] = read_plan() end
-- Layouts that other calls may have written.
for _ = 1, next_number() do read_plan() end

-- Units or moments, one entry per limit.
local function read_units(count)
  local units = {}
  for i = 1, count do units[i] = next_number() end
  return units
end

local function read_calls(count, has_receipts)
  local calls = {}
  for i = 1, count do
    local call = { key = next_number(), plan = plans[next_number()] }
    call.costs = read_units(call.plan.count)
    call.untils = has_receipts and read_units(call.plan.count)
    calls[i] = call
  end
  return calls
end

local function read_ask()
  local ask = { calls = next_number(), ttl = next_number(), quiet = next_number(), number = next_number() }
  local limits = next_number()
  ask.wanted, ask.reports = read_units(limits), {}
  for i = 1, limits do ask.wants = ask.wants or ask.wanted[i] > 0 end
  for i = 1, next_number() do
    ask.reports[i] = { ends = next_number(), number = next_number(), is_returned = next_number() == 1 }
    ask.reports[i].units = read_units(limits)
  end
  return ask
end

-- Clients are not exact beyond 2^53. A greater number is sent halved, after how often it was halved.
local size = 0
local function answer_all(entries)
  local blocked = entries.blocked
  if blocked then
    reply[size + 1] = BLOCK_MARK
    reply[size + 2] = blocked[1] - now
    reply[size + 3] = entries.is_denial
    reply[size + 4] = entries.index
    reply[size + 5] = #blocked - 3
    for i = 4, #blocked do reply[size + 2 + i] = blocked[i] end
    size = size + 2 + #blocked
  end
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
    reply[size] = sent(number)
  end
end

-- The limits whose counts entries show, by the numbers of their descriptions; 0 is the plan's own. Plans that carry
-- over say so where counts were only read: a change has moved them.
local function answer_shown(calls)
  for _, call in ipairs(calls) do
    local plan, from = call.plan, only_read and call.from or {}
    if plan.keeps_first or only_read then
      for i = 1, plan.count do
        local decided = (call.decided_by or plan)[i]
        size = size + 1
        reply[size] = decided.id ~= plan[i].id and decided.number or from[i] or 0
      end
    end
  end
end

-- When places free themselves that were taken by this transaction.
local function answer_untils(calls)
  for _, call in ipairs(calls) do
    local plan = call.decided_by or call.plan
    for i = 1, plan.count do
      local taken_until = plan[i].kernel.taken_until
      if taken_until then
        size = size + 1
        reply[size] = sent(call.cells and taken_until(plan[i], call.cells, now) or 0)
      end
    end
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
  local joined = not each and times > 1 and #calls == 1 and not calls[1].plan.blocks
  if joined and not in_force(calls[1].key, now) then admitted = repeats().take(verb, calls[1], now, times) end
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
local function run(verb, calls, times, each, taken, block, ask)
  if block then return set_block(calls[1].key, now, block) end
  if verb.removes_idle then
    local call, state = calls[1], state_of(calls[1].key)
    if not state.head or left_of(state, call.plan, now) > 0 then return 0 end
    mark_dirty(state, call.plan, nil)
    state.head = nil
    return 1
  end
  if verb.forgets then
    local key = calls[1].key
    local is_readable = pcall(function()
      if state_of(key).head then sections().forget(states[key], calls[1].plan, now) end
    end)
    -- What is no value of this store is removed.
    if not is_readable then states[key] = { exists = true, dirty = current, parked = {} } end
    return 1
  end
  if verb.leases then
    local entries = {}
    local blocked, index = latest_block(calls, now)
    local admitted, numbers = leases().run(calls[1], now, ask, blocked, entries)
    entries.blocked, entries.index, entries.is_denial = blocked, index, 1
    answer_all(entries)
    for i = 1, #numbers do reply[size + i] = sent(numbers[i]) end
    size = size + #numbers
    return admitted
  end
  if verb.refunds and calls[1].untils then
    for _ = 1, times do
      for j = 1, #calls do repeats().correct(calls[j], now) end
    end
    return times
  end
  if verb.refunds then
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
  local flags, times, taken = next_number(), next_number(), nil
  if flags % 8 >= 4 then taken = next_number() end
  local block
  if VERBS[name].sets_block then
    block = { kind = next_number(), value = next_number(), reason = {} }
    for j = 1, next_number() do block.reason[j] = next_number() end
  end
  local ask = VERBS[name].leases and read_ask()
  local calls = read_calls(next_number(), flags >= 8)
  local place = size + 1
  size = place
  begins[i], calls_of[i] = place, calls
  if flags % 4 >= 2 then
    size = size + 1
    reply[size] = now
  end
  local figures = size
  only_read = not VERBS[name].changes
  reply[place] = run(VERBS[name], calls, times, flags % 2 == 1, taken, block, ask)
  if size > figures then
    answer_shown(calls)
    if not VERBS[name].leases then answer_untils(calls) end
  end
end
begins[count + 1] = size + 1

if #needed > 0 then return { NEEDS_LAYOUTS, string.byte(table.concat(needed), 1, -1) } end

-- After a script removes a key, Redis no longer rejects its writes for lack of memory. So removals come last.
local stored, removed = {}, {}
for key, state in pairs(states) do
  if state.dirty then
    if state.leases and state.cells and state.cells.lifted_at then leases().drop_ended(state) end
    state.left = left_of(state, state.plan, now)
    if state.left > 0 then
      stored[#stored + 1] = key
    elseif state.exists then
      removed[#removed + 1] = key
    end
  end
end

local writes = {}
for i = 1, #stored do
  local key = stored[i]
  local state = states[key]
  if ARGV[2] == '' then
    -- PX counts from a time of the server that may be slightly earlier than TIME in a script.
    local expires = min(ceil((now + state.left) / 1000), FARTHEST_MS)
    writes[i] = { key, { 'SET', KEYS[key], value_of(state, now), 'PXAT', expires } }
  else
    local expires = min(ceil(state.left / 1000) + KEPT_FOR_TESTS_MS, FARTHEST_MS)
    writes[i] = { key, { 'SET', KEYS[key], value_of(state, now), 'PX', expires } }
  end
end
for _, key in ipairs(removed) do writes[#writes + 1] = { key, { 'DEL', KEYS[key] } } end

local write = redis.pcall
for i = 1, #writes do
  local command = writes[i][2]
  local answer = write(unpack(command))
  -- If the first write succeeds, the others do.
  write = redis.call
  local failed = type(answer) == 'table' and answer.err
  if failed then
    local rejection = find_rejection(failed)
    if not rejection then return redis.call(unpack(command)) end
    local rejected_from = {}
    for _, unwritten in ipairs(writes) do rejected_from[unwritten[1]] = states[unwritten[1]].dirty end
    local final = {}
    for j = 1, count do
      local is_rejected = false
      for _, call in ipairs(calls_of[j]) do
        if (rejected_from[call.key] or huge) <= j then is_rejected = true end
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
for _, move in ipairs(moves) do
  for place, call in ipairs(calls_of[move.transaction]) do
    if call.plan == move.plan and states[call.key] == move.state then
      local head = size
      reply[head + 1], reply[head + 2] = move.transaction, place
      size = head + 3
      for i = 1, call.plan.count do
        if move.from[i] then
          size = size + 1
          reply[size] = move.from[i]
        end
      end
      reply[head + 3] = size - head - 3
      break
    end
  end
end
return reply
