-- Reads the other transactions, runs them, and adds to the reply.

-- The last whole number that clients read exactly from a reply. One adds the code of the last digit before it subtracts
-- the code of zero, and that sum is not exact beyond 2^53. A greater number is sent as text, which all read exactly.
local LAST_SENT = LAST_EXACT - 48

local function answer(number)
  size = size + 1
  reply[size] = number > LAST_SENT and string.format('%.0f', number) or number
end

-- The calls of a transaction, as `encode-call.ts` writes them.
local function read_calls(list)
  local calls = {}
  for i, one in ipairs(list) do
    local key, plan, costs, untils, moment = unpack(one)
    calls[i] = { key = key, plan = described(plans[plan]), costs = costs, untils = untils, moment = moment, counts = nil }
  end
  return calls
end

-- A number of the reply has 6 bytes.
local function answer_text(text)
  for i = 1, #text, 6 do answer((struct.unpack('<I6', string.sub(text, i, i + 5) .. '\0\0\0\0\0'))) end
end

local function answer_all(entries)
  local blocked = entries.blocked
  if blocked then
    answer(BLOCK_MARK)
    answer(blocked[1] - now_us)
    answer(entries.is_denial)
    answer(entries.index)
    answer(#blocked - 3)
    for i = 4, #blocked do answer(blocked[i]) end
  end
  for i = 1, #entries, ENTRY do
    local used, wait = entries[i + 1], entries[i + 2]
    if entries[i] == 1 and wait == 0 and used <= LAST_SENT - FITS then
      answer(used + FITS)
      answer(entries[i + 4])
    else
      for entry = i, i + ENTRY - 1 do answer(entries[entry]) end
    end
  end
end

-- When places free themselves that were taken or renewed by this transaction.
local function answer_untils(calls)
  for _, one in ipairs(calls) do
    for i = 1, one.plan.count do
      local limit = (one.untils and one.plan or one.counts.plan)[i]
      local taken_until = limit.kernel.taken_until
      if taken_until then answer(taken_until(limit, one.counts[i], now_us)) end
    end
  end
end

-- Counts under other numbers, for the end of the reply.
local notes = {}

local function note(place, counted, is_moved)
  for i, limit in pairs(counted.from or {}) do
    local kind = string.byte(limit.description, NAME_SIZE + 1)
    notes[#notes + 1] = { current, place, i, is_moved, kind, unpack(limit.told) }
  end
end

local function run_reads(verb, calls, times, each)
  local entries = {}
  local admitted = transact(verb, calls, entries, each) and times or 0
  if each or admitted == 0 then answer_all(entries) end
  return admitted
end

-- A denial holds without what it writes, such as counts under other numbers or a block, so a full server denies, too.
-- But a bucket that starts empty would never fill.
local function write_if_possible(key, before)
  if to_write[key] and before ~= true and not states[key].starts then to_write[key] = 'may' end
end

local function run_takes(verb, calls, times, each)
  local admitted, before = 0, {}
  for i, one in ipairs(calls) do before[i] = to_write[one.key] end
  local joined = not each and times > 1 and #calls == 1 and not calls[1].plan.blocks
  if joined and not in_force(calls[1].key) then admitted = take_repeatedly(calls[1], times) end
  local is_denied = false
  while admitted < times and not is_denied do
    local entries = {}
    is_denied = not transact(verb, calls, entries, each)
    if not is_denied then admitted = admitted + 1 end
    if each or is_denied then answer_all(entries) end
  end
  for i, one in ipairs(verb.decides and admitted == 0 and calls or {}) do write_if_possible(one.key, before[i]) end
  return admitted
end

local function run_lease(calls, ask)
  local entries, key = { 0, 0, 0, 0, 0 }, calls[1].key
  local blocked, before = in_force(key), to_write[key]
  local admitted, numbers = leases().run(calls[1], ask, blocked, entries)
  if admitted == 0 and numbers[2] == 0 then write_if_possible(key, before) end
  entries.blocked, entries.index, entries.is_denial = blocked, 1, 1
  answer_all(entries)
  for i = 1, #numbers do answer(numbers[i]) end
  return admitted
end

-- Removes a key if it is idle, and returns whether it did. A call before may have made the key, or forgotten it.
local function remove_idle(state)
  local is_there = next(state.entries) or values[state.key] and not to_write[state.key]
  if not is_there or left_of(state) > 0 then return 0 end
  state.entries, state.leases, state.block = {}, nil, nil
  mark_changed(state)
  return 1
end

local function forget_or_remove(key, plan)
  if pcall(state_of, key) then
    forget(states[key], plan)
    -- What nodes may still spend counts from now on: later they may report that it was spent, or it may end.
    if states[key].leases then keep(states[key], counts_of(states[key], plan, true)) end
  else
    -- What is no value of this store is removed.
    states[key] = new_state(key)
    mark_changed(states[key])
  end
  return 1
end

-- Runs a transaction; the verb says what its detail is. Returns how many of its calls were admitted.
local function run(verb, calls, times, each, detail)
  if verb.sets_block then return set_block(calls[1].key, detail) end
  if verb.leases then return run_lease(calls, detail) end
  if verb.removes_idle then return remove_idle(state_of(calls[1].key)) end
  if verb.forgets then return forget_or_remove(calls[1].key, calls[1].plan) end
  if verb.refunds then
    for _, one in ipairs(calls) do
      if one.untils then
        correct({ one })
      else
        refund(one, detail)
      end
    end
    return times
  end
  if verb.changes then return run_takes(verb, calls, times, each) end
  return run_reads(verb, calls, times, each)
end

-- Tells the receipt if it is another one than the client has read.
local function run_change(detail)
  local key, revision, ttl, words, verb, calls, given = unpack(detail)
  local receipt = receipt_of(key)
  if receipt.revision == revision then
    local change = { key = key, ttl = ttl, words = words, verb = verb }
    change.calls, change.given = read_calls(calls), read_calls(given)
    return change_receipt(change) and 1 or 0
  end
  answer_text(receipt.text)
  return -1 - #receipt.text
end

local function run_next(verb, calls, times, each, detail)
  current, size = current + 1, size + 1
  local place = size
  if verb.keeps then
    reply[place] = run_change(detail)
    return
  end
  if #moves > 0 then moves = {} end
  reply[place] = run(verb, calls, times, each, detail)
  for _, move in ipairs(moves) do
    for i, one in ipairs(calls) do
      if one.key == move.state.key and one.plan == move.plan then
        note(i, move, 1)
        break
      end
    end
  end
  if size == place then return end
  for i, one in ipairs(calls) do
    -- A change moves counts, unless the first numbers are kept. A block denies without looking further.
    local counts = one.counts
    if counts and counts.from and not counts.is_moved then note(i, counts, 0) end
  end
  if not verb.leases then answer_untils(calls) end
end

-- The next call of a run of takes or charges: the keys of a run have the same call.
local function run_take(text)
  local word, first, last, number, times, costs = string.match(text, '^(%l) (%d+) (%d+) (%d+) (%S+)(.*)$')
  local call = { key = next_key or first + 0, plan = described(plans[number + 0]), costs = {}, counts = nil }
  for cost in string.gmatch(costs, '%S+') do call.costs[#call.costs + 1] = cost + 0 end
  times = times + 0
  run_next(verb_of(word == 't' and 'take' or 'charge'), { call }, math.abs(times), times < 0)
  next_key = call.key + 1
  if call.key == last + 0 then
    next_key = nil
    at = at + 1
  end
end

local function run_transaction()
  local text = args[at + 1]
  if string.byte(text) ~= 91 then return run_take(text) end
  at = at + 1
  local name, times, each, calls, detail = unpack(cjson.decode(text))
  return run_next(verb_of(name), read_calls(calls), times, each, detail)
end

repeat run_transaction() until take_from_buckets()

for _, one in ipairs(notes) do
  for _, number in ipairs(one) do answer(number) end
end
return finish()
