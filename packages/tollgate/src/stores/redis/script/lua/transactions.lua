-- Reads the other transactions, runs them, and adds to the reply.

-- The last whole number that clients read exactly from a reply. One adds the code of the last digit before it subtracts
-- the code of zero, and that sum is not exact beyond 2^53. A greater number is sent as text, which all read exactly.
local LAST_SENT = LAST_EXACT - 48

local function answer(number)
  size = size + 1
  reply[size] = number > LAST_SENT and string.format('%.0f', number) or number
end

-- The words of a transaction, and which one was read last.
local words, word_at = {}, 0

local function next_number()
  word_at = word_at + 1
  return words[word_at] + 0
end

-- Units or moments, one entry per limit.
local function read_units(count)
  local units = {}
  for i = 1, count do units[i] = next_number() end
  return units
end

local function read_calls(count, has_receipts)
  local calls = {}
  for i = 1, count do
    local one = { key = next_number(), plan = described(plans[next_number()]) }
    one.costs = read_units(one.plan.count)
    if has_receipts then
      one.untils = read_units(one.plan.count)
      one.moment = next_number()
    end
    calls[i] = one
  end
  return calls
end

local function read_block()
  local block = { kind = next_number(), value = next_number() }
  block.reason = read_units(next_number())
  return block
end

local function read_ask()
  local ask = { calls = next_number(), ttl = next_number(), quiet = next_number(), number = next_number() }
  local limits = next_number()
  ask.wanted, ask.reports = read_units(limits), {}
  for i = 1, limits do ask.wants = ask.wants or ask.wanted[i] > 0 end
  for i = 1, next_number() do
    ask.reports[i] = { identity = struct.pack('<dd', next_number(), next_number()), is_returned = next_number() == 1 }
    ask.reports[i].units = read_units(limits)
  end
  return ask
end

local function read_change()
  local change = { key = next_number(), revision = next_number(), ttl = next_number() }
  local count = next_number()
  change.words = count >= 0 and {} or nil
  for i = 1, count do change.words[i] = words[word_at + i] end
  word_at = word_at + max(count, 0) + 1
  change.verb = words[word_at]
  change.calls = read_calls(next_number(), true)
  change.given = read_calls(next_number(), true)
  return change
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
  local entries = {}
  local key, blocked, index = calls[1].key, latest_block(calls)
  local before = to_write[key]
  local admitted, numbers = leases().run(calls[1], ask, blocked, entries)
  if admitted == 0 and numbers[2] == 0 then write_if_possible(key, before) end
  entries.blocked, entries.index, entries.is_denial = blocked, index, 1
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
    states[key] = { key = key, born = now_us, entries = {}, forgotten = {} }
    mark_changed(states[key])
  end
  return 1
end

-- Runs a transaction. Returns how many of its calls were admitted.
local function run(verb, calls, times, each, taken, block, ask)
  if block then return set_block(calls[1].key, block) end
  if ask then return run_lease(calls, ask) end
  if verb.removes_idle then return remove_idle(state_of(calls[1].key)) end
  if verb.forgets then return forget_or_remove(calls[1].key, calls[1].plan) end
  if verb.refunds then
    for _, one in ipairs(calls) do
      if one.untils then
        correct(one)
      else
        refund(one, taken)
      end
    end
    return times
  end
  if verb.changes then return run_takes(verb, calls, times, each) end
  return run_reads(verb, calls, times, each)
end

-- Tells the receipt if it is another one than the client has read.
local function run_change(change)
  local receipt = receipt_of(change.key)
  if receipt.revision == change.revision then return change_receipt(change) and 1 or 0 end
  answer_text(receipt.text)
  return -1 - #receipt.text
end

local function run_next(verb, calls, times, each, taken, block, ask)
  current = current + 1
  size = size + 1
  local place = size
  moves = {}
  reply[place] = run(verb, calls, times, each, taken, block, ask)
  for _, move in ipairs(moves) do
    for i, one in ipairs(calls) do
      if one.key == move.state.key and one.plan == move.plan then
        note(i, move, 1)
        break
      end
    end
  end
  for i, one in ipairs(calls) do
    -- A change moves counts, unless the first numbers are kept. A block denies without looking further.
    local counts = one.counts
    if size > place and counts and counts.from and not counts.is_moved then note(i, counts, 0) end
  end
  if size > place and not ask then answer_untils(calls) end
end

-- The next call of a run of takes or charges: the keys of a run have the same call.
local function run_take(verb)
  local first, last = next_number(), next_number()
  local key, plan, times = next_key or first, described(plans[next_number()]), next_number()
  local costs = read_units(plan.count)
  run_next(verb, { { key = key, plan = plan, costs = costs } }, times < 0 and -times or times, times < 0)
  next_key = key + 1
  if key == last then
    next_key = nil
    at = at + 1
  end
end

local function run_transaction()
  -- A run is split once for all its keys.
  if words.at ~= at then
    words = { at = at }
    for word in string.gmatch(args[at + 1], '%S+') do words[#words + 1] = word end
  end
  word_at = 1
  if words[1] == 't' then return run_take(verb_of('take')) end
  if words[1] == 'c' then return run_take(verb_of('charge')) end
  local verb = verb_of(words[1])
  at = at + 1
  local flags, times, taken = next_number(), next_number(), nil
  if flags % 4 >= 2 then taken = next_number() end
  local block = verb.sets_block and read_block()
  local ask = verb.leases and read_ask()
  if verb.keeps then
    current, size = current + 1, size + 1
    local place = size
    reply[place] = run_change(read_change())
    return
  end
  local calls = read_calls(next_number(), flags >= 4)
  return run_next(verb, calls, times, flags % 2 == 1, taken, block, ask)
end

repeat run_transaction() until take_from_buckets()

for _, one in ipairs(notes) do
  for _, number in ipairs(one) do answer(number) end
end
return finish()
