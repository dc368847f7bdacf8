-- `stores/local/local-space.ts` and `algorithms/transact.ts` in Lua: what the verbs mean for new and existing keys,
-- and for several keys at one instant. A verb is its row of `VERBS`.

-- A call is { key, plan, costs }. Its entries begin at the given place; they are complete if the call is denied or they
-- are wanted.
local function apply(verb, call, now, costs, entries, at, wanted)
  local state = state_of(call.key)
  local cells, new, plan, from = cells_of(state, call.plan, now, verb.changes)
  call.decided_by, call.from, call.cells = plan, from, cells
  local borrowed = not verb.changes and cells == state.cells
  if borrowed then cells.undo = {} end
  local admitted, changed
  if verb.renews then
    admitted, changed = renew(plan, cells, now, call, entries, at)
    costs = nothing_of(plan)
  else
    admitted = check_conforms(plan, cells, now, costs, entries, at)
    changed = take(plan, verb, admitted, cells, now, costs, entries, at)
  end
  -- A new key that starts to fill is stored, too.
  if verb.changes and (changed or (new and plan.starts_empty)) then mark_dirty(state, plan, cells) end
  if wanted or not admitted then describe(plan, cells, now, costs, entries, at) end
  if borrowed then
    for i, value in pairs(cells.undo) do cells[i] = value end
    cells.undo = nil
  end
  return admitted
end

-- For several keys. Created lazily: most calls have one key, and creating functions takes time.
local function several()
  local function apply_to_all(verb, calls, now, entries, wanted)
    local admitted = true
    local at = 1
    for _, call in ipairs(calls) do
      if not apply(verb, call, now, call.costs, entries, at, wanted) then admitted = false end
      at = at + ENTRY * call.plan.count
    end
    return admitted
  end

  local function carried(call, now)
    local state = state_of(call.key)
    if state.head and state.head ~= call.plan.head then cells_of(state, call.plan, now, true) end
  end

  -- A bucket that starts empty starts to fill with its first call, even a denied one.
  local function touch(call, now)
    if call.plan.starts_empty then apply(TAKE, call, now, nothing_of(call.plan), {}, 1) end
  end

  local function copied(fields)
    local copy = {}
    for field, value in pairs(fields or {}) do copy[field] = value end
    return copy
  end

  local function copied_cells(cells)
    local copy = copied(cells)
    copy.written = copied(copy.written)
    return cells and copy
  end

  -- The keys of calls as they are. Texts of long values are not copied.
  local function save(calls)
    local saved = { moves = #moves, states = {} }
    for _, call in ipairs(calls) do
      local state = state_of(call.key)
      local copy = copied(state)
      copy.cells, copy.firsts, copy.parked = copied_cells(state.cells), copied(state.firsts), {}
      for i, part in ipairs(state.parked) do
        copy.parked[i] = { plan = part.plan, cells = copied_cells(part.cells), group = part.group }
      end
      saved.states[state] = copy
    end
    return saved
  end

  -- Every cell is then what it was, and a key that a call made is gone.
  local function restore(saved)
    for i = #moves, saved.moves + 1, -1 do moves[i] = nil end
    for state, copy in pairs(saved.states) do
      for field in pairs(state) do state[field] = copy[field] end
      for field, value in pairs(copy) do state[field] = value end
    end
  end

  -- Takes up to the first denial, which undoes what the calls before it took: of two calls for the same key each may
  -- conform alone, but not both.
  local function take_from_all(calls, now, entries, wanted)
    local saved, at = save(calls), 1
    for _, call in ipairs(calls) do
      if not apply(TAKE, call, now, call.costs, entries, at, wanted) then
        restore(saved)
        for _, touched in ipairs(calls) do touch(touched, now) end
        return false
      end
      at = at + ENTRY * call.plan.count
    end
    return true
  end

  return function(verb, calls, now, entries, wanted)
    -- Counts under other numbers move, even if the call is denied.
    if verb.changes then
      for _, call in ipairs(calls) do carried(call, now) end
    end
    -- If one of them denies, the figures of the calls before it are wanted too.
    if not verb.decides then return apply_to_all(verb, calls, now, entries, true) end
    local admitted
    if verb.changes then
      admitted = take_from_all(calls, now, entries, wanted)
    else
      admitted = apply_to_all(PEEK, calls, now, entries, wanted)
    end
    if admitted then return true end
    -- Each call showed its keys as if it decided alone; a denial shows all as they are.
    apply_to_all(EXPLAIN, calls, now, entries, true)
    return false
  end
end

local transact_several

local function transact_unblocked(verb, calls, now, entries, wanted)
  if #calls == 1 then return apply(verb, calls[1], now, calls[1].costs, entries, 1, wanted) end
  transact_several = transact_several or several()
  return transact_several(verb, calls, now, entries, wanted)
end

-- Whether the current transaction only read the counts.
local only_read

-- The block in force after the call is in the entries.
local function transact(verb, calls, now, entries, wanted)
  if not verb.takes then return transact_unblocked(verb, calls, now, entries, wanted) end
  local is_blocked = latest_block(calls, now)
  local may_begin = false
  for i = 1, #calls do may_begin = may_begin or calls[i].plan.blocks end
  may_begin = may_begin and verb.changes
  local admitted
  if is_blocked then
    only_read = not verb.charges
    transact_unblocked(verb.charges and verb or EXPLAIN, calls, now, entries, true)
    if may_begin then extend_blocks(calls, now) end
    admitted = false
  else
    admitted = transact_unblocked(verb, calls, now, entries, wanted or (may_begin and verb.charges))
    if may_begin and (verb.charges or not admitted) then begin_blocks(verb, calls, now, entries) end
  end
  if is_blocked or may_begin then
    entries.blocked, entries.index = latest_block(calls, now)
    entries.is_denial = is_blocked and 1 or 0
  end
  return admitted
end
