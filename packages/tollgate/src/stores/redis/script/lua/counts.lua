-- The counts that a call concerns: `algorithms/compiled-plan.ts` and `stores/local/` in Lua.

-- Keys whose counts a transaction moved to other numbers.
local moves = {}

local function read_own_limit(text)
  local limit = read_limit(text, 1)
  known_limits[string.sub(text, 1, NAME_SIZE + 1)] = limit
  return limit
end

-- The limits of a plan, as `encode-plan.ts` describes them.
local function described(read)
  if read.plan then return read.plan end
  local plan = {}
  read.plan = plan
  if read.format then
    plan.count, plan.keeps_first = read.last / 8, string.sub(read.text, -2) == ' k'
    for i = 1, plan.count do
      plan[i] = read_own_limit(read[8 * i])
      plan[i].enforces = true
    end
    return plan
  end
  local next_word = string.gmatch(read.text, '%S+')
  local function next_number()
    return next_word() + 0
  end
  plan.count, plan.keeps_first = 0, next_number() == 1
  for description in next_word do
    local limit = read_own_limit(description)
    limit.enforces = next_number() == 1
    local durations = next_number()
    if durations > 0 then
      limit.durations = {}
      for j = 1, durations do limit.durations[j] = next_number() end
      limit.forget_after = next_number()
      limit.extends = next_number() == 1
      plan.blocks = true
    end
    if limit.by_calendar then limit.starts = { next_number(), next_number(), next_number(), next_number() } end
    plan.starts_empty = plan.starts_empty or limit.starts_empty
    plan.count = plan.count + 1
    plan[plan.count] = limit
  end
  return plan
end

-- The limit with which a key goes on under its first numbers.
local function first_of_key(own, from)
  local first = copied(from)
  first.enforces, first.starts = own.enforces, own.starts
  first.durations, first.forget_after, first.extends = own.durations, own.forget_after, own.extends
  return first
end

-- The counts become those of the key.
local function keep(state, counts)
  local plan, group = counts.plan, {}
  for i = 1, plan.count do
    state.entries[plan[i].id] = { limit = plan[i], group = group, cells = counts[i] }
  end
  mark_changed(state)
end

-- The entries of a plan, and whether they are those of its list alone.
local function find(state, plan)
  local found, count, in_group = {}, 0, 0
  for i = 1, plan.count do
    found[i] = state.entries[plan[i].id]
    if found[i] then count = count + 1 end
  end
  local group = found[1] and found[1].group
  for _, entry in pairs(state.entries) do
    if entry.group == group then in_group = in_group + 1 end
  end
  local is_own_list = count == plan.count and in_group == count
  for i = 2, plan.count do is_own_list = is_own_list and found[i].group == group end
  return found, count == 0 or is_own_list
end

local function is_idle(counts)
  local plan, idle = counts.plan, 0
  for i = 1, plan.count do idle = max(idle, plan[i].idle) end
  for i = 1, plan.count do
    if plan[i].kernel.reset(plan[i], counts[i], now_us - idle) > 0 then return false end
  end
  return true
end

-- Where the limits of a plan are counted now, under the numbers there: a correction moves nothing, and creates nothing.
local function counted_now(state, plan)
  local counts = { plan = { count = plan.count } }
  for i = 1, plan.count do
    local limit, entry = plan[i], state.entries[plan[i].id]
    if not entry then
      counts[i] = { raw = '' }
      limit.kernel.init(limit, counts[i], now_us)
    else
      counts[i] = entry.cells
      if entry.limit.description ~= limit.description then limit = first_of_key(limit, entry.limit) end
    end
    counts.plan[i] = limit
  end
  if state.leases then leases().lift(state, counts, true) end
  return counts
end

-- The cells of each limit of a plan: those of the row, or of a new key. Counts under other numbers are brought up to
-- date; with keep-first the first numbers decide. A verb that changes nothing gets a copy. `leases.lua` settles leases
-- itself.
local function counts_of(state, plan, changes, is_settling)
  local counts, moved = { plan = plan, new = true }, false
  local found, is_own_list = find(state, plan)
  local matters = plan.keeps_first or not is_own_list
  for i = 1, plan.count do
    matters = matters or found[i] and found[i].limit.description ~= plan[i].description
  end
  -- An idle limit is as a new one, unless it starts empty, or other numbers or limits were counted with it.
  local lefts = matters and lefts_of(state)
  for i = 1, plan.count do
    if found[i] and lefts and lefts[found[i].group] <= 0 then found[i] = nil end
    counts.new = counts.new and not found[i]
  end
  local first = plan.keeps_first and not counts.new and { count = plan.count }
  for i = 1, plan.count do
    local limit, entry, cells = plan[i], found[i], { raw = '' }
    local is_own = not entry or entry.limit.description == limit.description
    if not entry then
      limit.kernel.init(limit, cells, now_us)
    elseif is_own or first then
      cells = changes and entry.cells or copied(entry.cells)
      if not is_own then limit = first_of_key(limit, entry.limit) end
    else
      limit.kernel.adopt_from(limit, cells, now_us, entry.limit, entry.cells)
      moved = true
    end
    if not is_own then
      counts.from = counts.from or {}
      counts.from[i] = entry.limit
    end
    counts[i] = cells
    if first then
      first[i] = limit
      first.starts_empty = first.starts_empty or limit.starts_empty
    end
  end
  if first then counts.plan = first end
  local starts_anew = counts.plan.starts_empty and not counts.new and is_idle(counts)
  for i = 1, starts_anew and plan.count or 0 do
    counts[i] = { raw = '' }
    counts.plan[i].kernel.init(counts.plan[i], counts[i], now_us)
  end
  state.starts = state.starts or changes and counts.plan.starts_empty and (counts.new or starts_anew)
  -- What is counted under other numbers or in another list moves, and a key that is idle starts anew, even if nothing
  -- is taken.
  if changes and (moved or starts_anew or not is_own_list) then keep(state, counts) end
  if changes and moved then
    counts.is_moved = true
    moves[#moves + 1] = { state = state, plan = plan, from = counts.from }
  end
  if state.leases and not is_settling then leases().lift(state, counts, changes) end
  return counts
end
