-- `stores/local/local-space.ts` and `algorithms/transact.ts` in Lua: what the verbs mean for new and existing keys, and
-- for several keys at one instant. A verb is its row of `script-verbs.ts`, a call is { key, plan, costs }.

-- What is true of a verb, by its name.
local known_verbs = {}

local function make_verb(name)
  VERB_ROWS
end

local function verb_of(name)
  known_verbs[name] = known_verbs[name] or make_verb(name)
  return known_verbs[name]
end

local function check_conforms(plan, counts, costs, entries, place)
  local admitted = true
  for i = 1, plan.count do
    local limit = plan[i]
    local conforms = limit.kernel.conforms(limit, counts[i], now_us, costs[i])
    entries[place + ENTRY * (i - 1)] = conforms and 1 or 0
    if not conforms and limit.enforces then admitted = false end
  end
  return admitted
end

-- Takes what the verb takes. Returns whether it changed a cell.
local function take(plan, verb, admitted, counts, costs, entries, place)
  if not verb.takes or (verb.decides and not admitted) then return false end
  local changed = false
  for i = 1, plan.count do
    local limit, cost = plan[i], costs[i]
    if cost > 0 and (verb.charges or limit.enforces or entries[place + ENTRY * (i - 1)] == 1) then
      limit.kernel.take(limit, counts[i], now_us, cost)
      changed = true
    end
  end
  return changed
end

-- Keeps the places of a take, as many as the costs say, by the time to live under which they were taken. Returns
-- whether all are kept.
local function renew(state, counts, call, entries, place)
  local all = true
  for i = 1, call.plan.count do
    local own, cost, kept = call.plan[i], call.costs[i], true
    if cost ~= 0 then
      local extend = call.untils and remembers(state, own, call.moment) and own.kernel.extend
      kept = extend and extend(counts.plan[i], counts[i], now_us, cost, call.untils[i], own) or false
      if kept then mark_changed(state) end
    end
    entries[place + ENTRY * (i - 1)] = kept and 1 or 0
    all = all and kept
  end
  return all
end

local function nothing_of(plan)
  local nothing = {}
  for i = 1, plan.count do nothing[i] = 0 end
  return nothing
end

local function describe(plan, counts, costs, entries, place)
  for i = 1, plan.count do
    local limit, cells = plan[i], counts[i]
    local kernel = limit.kernel
    local used, wait = kernel.used(limit, cells, now_us), kernel.wait(limit, cells, now_us, costs[i])
    local used_then = used
    if wait ~= 0 then used_then = wait == NEVER and 0 or kernel.used(limit, cells, now_us + wait) end
    local entry = place + ENTRY * (i - 1)
    entries[entry + 1], entries[entry + 2], entries[entry + 3] = used, wait, used_then
    entries[entry + 4] = kernel.reset(limit, cells, now_us)
  end
end

-- The entries of the call begin at a place; they are complete if the call is denied or they are wanted.
local function apply(verb, call, costs, entries, place, wanted)
  local state = state_of(call.key)
  local counts = verb.renews and counted_now(state, call.plan) or counts_of(state, call.plan, verb.changes)
  local plan = counts.plan
  call.counts = counts
  local admitted, changed
  if verb.renews then
    admitted = renew(state, counts, call, entries, place)
    costs = nothing_of(plan)
  else
    admitted = check_conforms(plan, counts, costs, entries, place)
    changed = take(plan, verb, admitted, counts, costs, entries, place)
  end
  -- A new key that starts to fill is stored, too.
  if verb.changes and (changed or (counts.new and plan.starts_empty)) then keep(state, counts) end
  if wanted or not admitted then describe(plan, counts, costs, entries, place) end
  return admitted
end

local function apply_to_all(verb, calls, entries, wanted)
  local admitted, place = true, 1
  for _, call in ipairs(calls) do
    if not apply(verb, call, call.costs, entries, place, wanted) then admitted = false end
    place = place + ENTRY * call.plan.count
  end
  return admitted
end

-- The keys of calls as they are. Texts of long values are not copied.
local function save(calls)
  local saved = { moves = #moves, states = {} }
  for _, call in ipairs(calls) do
    local state = state_of(call.key)
    local entries = {}
    for id, entry in pairs(state.entries) do
      entries[id] = { limit = entry.limit, group = entry.group, cells = copied(entry.cells) }
    end
    saved.states[state] = { entries = entries, is_written = to_write[call.key] }
  end
  return saved
end

-- Every cell is then what it was, and a key that a call made is gone.
local function restore(saved)
  for i = #moves, saved.moves + 1, -1 do moves[i] = nil end
  for state, copy in pairs(saved.states) do
    state.entries, to_write[state.key] = copy.entries, copy.is_written
  end
end

-- Takes up to the first denial, which undoes what the calls before it took: of two calls for the same key each may
-- conform alone, but not both.
local function take_from_all(calls, entries, wanted)
  local saved, place = save(calls), 1
  for _, call in ipairs(calls) do
    if not apply(verb_of('take'), call, call.costs, entries, place, wanted) then
      restore(saved)
      -- A bucket that starts empty starts to fill with its first call, even a denied one.
      for _, touched in ipairs(calls) do
        if touched.plan.starts_empty then apply(verb_of('take'), touched, nothing_of(touched.plan), {}, 1) end
      end
      return false
    end
    place = place + ENTRY * call.plan.count
  end
  return true
end

local function transact_several(verb, calls, entries, wanted)
  -- Counts under other numbers move, even if the call is denied.
  if verb.changes and not verb.renews then
    for _, call in ipairs(calls) do counts_of(state_of(call.key), call.plan, true) end
  end
  -- If one of them denies, the figures of the calls before it are wanted too.
  if not verb.decides then return apply_to_all(verb, calls, entries, true) end
  local admitted
  if verb.changes then
    admitted = take_from_all(calls, entries, wanted)
  else
    admitted = apply_to_all(verb_of('peek'), calls, entries, wanted)
  end
  if admitted then return true end
  -- Each call showed its keys as if it decided alone; a denial shows all as they are.
  apply_to_all(verb_of('explain'), calls, entries, true)
  return false
end

local function transact_unblocked(verb, calls, entries, wanted)
  if #calls == 1 then return apply(verb, calls[1], calls[1].costs, entries, 1, wanted) end
  return transact_several(verb, calls, entries, wanted)
end

-- The block in force after the call is in the entries.
local function transact(verb, calls, entries, wanted)
  if not verb.takes then return transact_unblocked(verb, calls, entries, wanted) end
  local is_blocked = latest_block(calls)
  local may_begin = false
  for i = 1, #calls do may_begin = may_begin or calls[i].plan.blocks end
  may_begin = may_begin and verb.changes
  local admitted
  if is_blocked then
    transact_unblocked(verb.charges and verb or verb_of('explain'), calls, entries, true)
    if may_begin then extend_blocks(calls) end
    admitted = false
  else
    admitted = transact_unblocked(verb, calls, entries, wanted or (may_begin and verb.charges))
    if may_begin and (verb.charges or not admitted) then begin_blocks(verb, calls, entries) end
  end
  if is_blocked or may_begin then
    entries.blocked, entries.index = latest_block(calls)
    entries.is_denial = is_blocked and 1 or 0
  end
  return admitted
end
