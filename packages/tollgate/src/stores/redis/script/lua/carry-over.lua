-- Values that another list of limits wrote. The first 8 bytes of a value name its layout: which limits have their cells
-- behind it, and where. Limits that count separately have names of their own, so their cells stay as they are.
--
-- The caller describes the layouts that the script may meet; one that it does not know is needed, and the call ends
-- without a write.

-- Keys whose counts moved to other numbers.
local moves = {}

local function make_carry()
  local layout_of, entries_of, keep_rest = sections().layout_of, sections().entries_of, sections().keep_rest

  -- The limit with its cells at the beginning.
  local function at_first(limit)
    return setmetatable({ at = 1 }, { __index = limit })
  end

  local function described(entry)
    local limit = entry.limit or known_limits[entry.id]
    if not limit and not layouts[entry.id] then need(entry.id) end
    return limit
  end

  -- A limit that starts empty has nothing at the beginning.
  local function use_up(limit, cells, now)
    limit.kernel.init(limit, cells, now)
    if limit.starts_full ~= false then limit.kernel.take(limit, cells, now, limit.capacity) end
  end

  -- A limit without a description counts as used up: a key that counts is never forgotten. Returns the limit from
  -- which the counts moved, if it has other numbers.
  local function carry_over(limit, cells, now, entry)
    if entry.id == limit.id then
      replace(cells, limit.at, entry.text)
      return nil
    end
    local from = described(entry)
    if not from then
      use_up(limit, cells, now)
      return nil
    end
    local number = from.number
    local theirs = { raw = entry.text }
    limit.kernel.adopt_from(limit, cells, now, at_first(from), theirs)
    return number
  end

  -- The plan with the numbers under which the key was first counted. Its cells are those of the state, if they are
  -- those of the same names.
  local function keep_first(state, plan, entries, by_name, names, now, changes)
    local layout = state.plan or layouts[state.head]
    local first = { count = plan.count, head = UNION, idle = 0, starts_empty = false, keeps_first = true }
    local same = state.cells and layout.count == plan.count and #entries == plan.count
    local at = 2
    for i = 1, plan.count do
      local own = plan[i]
      local entry = by_name[own.name]
      local base = entry and (entry.id == own.id and own or described(entry)) or own
      same = same and entry and entry.limit
      first[i] = setmetatable({ enforces = own.enforces, at = at }, { __index = base })
      at = at + base.size
      first.idle = max(first.idle, base.idle)
      first.starts_empty = first.starts_empty or base.starts_full == false
    end
    if same then
      for i = 1, plan.count do first[i].at = by_name[plan[i].name].limit.at end
      first.head = state.head
      state.firsts = state.firsts or {}
      state.firsts[plan] = first
      return state.cells, first
    end
    local cells = { raw = UNION }
    for i = 1, plan.count do
      local limit, entry = first[i], by_name[plan[i].name]
      if not entry then
        limit.kernel.init(limit, cells, now)
      else
        carry_over(limit, cells, now, entry)
      end
    end
    if not changes then return cells, first end
    keep_rest(state, entries, names, now)
    mark_dirty(state, first, cells)
    state.firsts = { [plan] = first }
    return cells, first
  end

  local function names_of(plan)
    if not plan.names then
      plan.names = {}
      for i = 1, plan.count do plan.names[plan[i].name] = plan[i] end
    end
    return plan.names
  end

  local function has_one_of(plan, names)
    for i = 1, plan.count do
      if names[plan[i].name] then return true end
    end
    return false
  end

  -- Takes the entries of a plan from the rest, if they are a group of their own under the plan's numbers. Returns
  -- whether that holds or there is no such entry; the cells and the group, if there are entries.
  local function own_entries(state, plan, names)
    local cells, others, found, group = { raw = plan.head }, {}, 0, nil
    for _, entry in ipairs(state.rest or {}) do
      local limit = names[entry.name]
      if limit then
        if entry.id ~= limit.id or (group or entry.group) ~= entry.group then return false end
        found, group = found + 1, entry.group
        if plan.count == 1 then
          cells.raw = plan.head .. entry.text
        else
          replace(cells, limit.at, entry.text)
        end
      else
        others[#others + 1] = entry
      end
    end
    if found == 0 then return true end
    if found < plan.count then return false end
    for _, entry in ipairs(others) do
      if entry.group == group then return false end
    end
    state.rest = others[1] and others
    return true, cells, group
  end

  local function park(state)
    if not state.cells then return end
    state.parked[#state.parked + 1] = { plan = state.plan, cells = state.cells, group = state.group }
  end

  -- Makes a plan the current one, if its limits are in no other list: then its cells stay as they are, and so do those
  -- of the others, which are parked.
  local function switch(state, plan)
    local layout = layout_of(state)
    if state.cells and (not layout or layout.count == 0 or layout.head == UNION) then return false end
    state.plan = layout
    local names = names_of(plan)
    for i, part in ipairs(state.parked) do
      if part.plan.head == plan.head then
        table.remove(state.parked, i)
        park(state)
        state.group = part.group
        arrange(state, plan, part.cells)
        return true
      end
      if has_one_of(part.plan, names) then return false end
    end
    if layout and has_one_of(layout, names) then return false end
    local is_own, cells, group = own_entries(state, plan, names)
    if not is_own then return false end
    park(state)
    if not group then state.last_group = state.last_group + 1 end
    state.group = group or state.last_group
    if cells then
      arrange(state, plan, cells)
    else
      state.cells, state.plan, state.firsts, state.head = nil, nil, nil, UNION
    end
    return true
  end

  return {
    -- The cells of a value of another layout, nil if none of the plan's limits is in use; the plan that decides; and
    -- the numbers of the limits from which counts moved. A verb that changes nothing gets a copy.
    enter = function(state, plan, now, changes)
      local first = state.firsts and state.firsts[plan]
      if first and idle_in(first, state.cells, now) > 0 then return state.cells, first end
      if switch(state, plan) then return state.cells, plan end
      local entries = entries_of(state, now)
      if not entries then
        local cells = { raw = plan.head }
        for i = 1, plan.count do use_up(plan[i], cells, now) end
        if changes then mark_dirty(state, plan, cells) end
        return cells, plan
      end
      local by_name, names, found = {}, names_of(plan), 0
      for _, entry in ipairs(entries) do by_name[entry.name] = entry end
      for i = 1, plan.count do
        if by_name[plan[i].name] then found = found + 1 end
      end
      if found == 0 then
        if changes then
          keep_rest(state, entries, names, now)
          state.cells, state.plan, state.firsts = nil, nil, nil
          state.head = state.rest and UNION
        end
        return nil, plan
      end
      if plan.keeps_first then return keep_first(state, plan, entries, by_name, names, now, changes) end
      local cells, from = { raw = plan.head }, {}
      for i = 1, plan.count do
        local entry = by_name[plan[i].name]
        if entry then
          from[i] = carry_over(plan[i], cells, now, entry)
        else
          plan[i].kernel.init(plan[i], cells, now)
        end
      end
      if changes then
        if next(from) then moves[#moves + 1] = { transaction = current, plan = plan, state = state, from = from } end
        keep_rest(state, entries, names, now)
        mark_dirty(state, plan, cells)
      end
      return cells, plan, from
    end,

    -- Whether a limit of the plan was counted under other numbers.
    counts_apart = function(state, plan, now)
      local entries, ids = entries_of(state, now), {}
      for i = 1, plan.count do ids[plan[i].name] = plan[i].id end
      for _, entry in ipairs(entries or {}) do
        if ids[entry.name] and ids[entry.name] ~= entry.id then return true end
      end
      return not entries
    end,
  }
end

local made_carry

local function carry()
  made_carry = made_carry or make_carry()
  return made_carry
end
