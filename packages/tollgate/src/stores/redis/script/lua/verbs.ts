/**
 * The twin of `stores/local/local-space.ts` and `algorithms/transact.ts`: what the verbs mean for keys that are there or not, and for
 * several at one instant. Verbs are their first letters: take, peek, explain, charge, refund; `b` is a refund that says when it was taken.
 */
export const VERBS = `
-- Every call is { state's key, plan, costs }; its entries begin at the place given. They are complete if the call is denied, or
-- if they are wanted.
local function apply(verb, call, now, costs, entries, at, wanted)
  local plan = call.plan
  local state = state_of(call.key)
  local looks = verb == 'p' or verb == 'e'
  local cells, new = cells_of(state, plan, now, looks)
  local borrowed = looks and cells == state.cells
  if borrowed then cells.undo = {} end
  local admitted = conform(plan, cells, now, costs, entries, at)
  local changed = change(plan, verb, admitted, cells, now, costs, entries, at)
  -- A new key is kept where it starts to fill, too.
  if not looks and (changed or (new and plan.starts_empty)) then keep(state, plan, cells) end
  if wanted or not admitted then describe(plan, cells, now, costs, entries, at) end
  if borrowed then
    for i, value in pairs(cells.undo) do cells[i] = value end
    cells.undo = nil
  end
  return admitted
end

-- Of several keys. Most calls need none of this, and making functions takes time.
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

  local function costs_taken(call, entries, at)
    local taken = {}
    for i, cost in ipairs(call.costs) do
      taken[i] = entries[at + ENTRY * (i - 1)] == 1 and cost or 0
    end
    return taken
  end

  -- A bucket that starts empty starts to fill with its first touch, even a denied one.
  local function touch(call, now)
    if not call.plan.starts_empty then return end
    local nothing = {}
    for i = 1, call.plan.count do nothing[i] = 0 end
    apply('t', call, now, nothing, {}, 1)
  end

  -- Takes up to the first denial: two calls may concern the same key, and each would conform alone, but not both.
  local function take_from_all(calls, now, entries, wanted)
    local denied
    local at = 1
    for i, call in ipairs(calls) do
      if not apply('t', call, now, call.costs, entries, at, wanted) then
        denied = i
        break
      end
      at = at + ENTRY * call.plan.count
    end
    if not denied then return true end
    at = 1
    for i, call in ipairs(calls) do
      if i < denied then repeats().refund(call, now, costs_taken(call, entries, at), 1) end
      if i > denied then touch(call, now) end
      if i ~= denied then apply('e', call, now, call.costs, entries, at, true) end
      at = at + ENTRY * call.plan.count
    end
    return false
  end

  return function(verb, calls, now, entries, wanted)
    -- Should one of them deny, the figures of those before it are wanted too.
    if verb ~= 't' and verb ~= 'p' then return apply_to_all(verb, calls, now, entries, true) end
    if apply_to_all('p', calls, now, entries, wanted and verb == 'p') then
      return verb == 'p' or take_from_all(calls, now, entries, wanted)
    end
    -- Peeking showed every key as if it alone had decided; a denial shows them as they are.
    if verb == 't' then
      for _, call in ipairs(calls) do touch(call, now) end
    end
    apply_to_all('e', calls, now, entries, true)
    return false
  end
end

local transact_several

local function transact(verb, calls, now, entries, wanted)
  if #calls == 1 then return apply(verb, calls[1], now, calls[1].costs, entries, 1, wanted) end
  transact_several = transact_several or several()
  return transact_several(verb, calls, now, entries, wanted)
end
`;
