-- `core/blocks.ts` in Lua. The numbers of a block are its end, the offences, the moment at which these are forgotten,
-- which is not before the end, and the reason.

-- The numbers of a block in force.
local function in_force(key)
  local block = state_of(key).block
  if block and now_us < block[1] then return block end
end

-- The block of the calls that ends last, and the place of its call.
local function latest_block(calls)
  local latest, place
  for i = 1, #calls do
    local numbers = in_force(calls[i].key)
    if numbers and (not latest or numbers[1] > latest[1]) then latest, place = numbers, i end
  end
  return latest, place
end

local function keep_block(state, block)
  state.block = block
  mark_changed(state)
end

-- An operator's block, or the end of one. Returns 1 if the key was blocked.
local function set_block(key, asked)
  local state = state_of(key)
  local before = state.block
  local was_blocked = in_force(key) and 1 or 0
  local kind, value = asked[1], asked[2]
  if kind == 0 then
    if before then keep_block(state, nil) end
    return was_blocked
  end
  local ends = kind == 1 and now_us + value or value
  local known = before and now_us < before[3]
  local numbers = { ends, known and before[2] or 0, known and max(ends, before[3]) or ends }
  for i = 4, #asked do numbers[i] = asked[i] end
  keep_block(state, numbers)
  return was_blocked
end

-- The limits of calls for which a function holds, by the states of their keys.
local function limits_by_state(calls, holds)
  local found = {}
  local place = 1
  for _, call in ipairs(calls) do
    for i = 1, call.plan.count do
      local limit = call.plan[i]
      -- With keep-first the first numbers decide, and may have another capacity.
      local capacity = call.counts.plan[i].capacity
      if limit.durations and holds(limit, call.costs[i], place + ENTRY * (i - 1), capacity) then
        local state = state_of(call.key)
        found[state] = found[state] or {}
        table.insert(found[state], limit)
      end
    end
    place = place + ENTRY * call.plan.count
  end
  return found
end

local function begin_blocks(verb, calls, entries)
  local found = limits_by_state(calls, function(_, cost, entry, capacity)
    if cost == 0 then return false end
    if verb.charges then return entries[entry + 1] >= capacity end
    return entries[entry] == 0 and cost <= capacity
  end)
  for state, limits in pairs(found) do
    local before = state.block
    local offences = before and now_us < before[3] and before[2] or 0
    local ends, forgotten = now_us, now_us
    for _, limit in ipairs(limits) do
      local duration = limit.durations[min(offences, #limit.durations - 1) + 1]
      ends = max(ends, now_us + duration)
      forgotten = max(forgotten, now_us + duration + limit.forget_after)
    end
    keep_block(state, { ends, offences + 1, max(ends, forgotten) })
  end
end

local function extend_blocks(calls)
  local found = limits_by_state(calls, function(limit) return limit.extends end)
  for state, limits in pairs(found) do
    local numbers = state.block
    local ends = numbers and now_us < numbers[1] and numbers[1]
    for _, limit in ipairs(ends and limits or {}) do ends = max(ends, now_us + limit.durations[1]) end
    if ends and ends > numbers[1] then
      local extended = { unpack(numbers) }
      extended[1], extended[3] = ends, numbers[3] + ends - numbers[1]
      keep_block(state, extended)
    end
  end
end
