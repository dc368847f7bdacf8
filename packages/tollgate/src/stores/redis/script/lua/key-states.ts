/** The keys of the call. Each is read lazily, and written at the end if it is dirty. */
export const KEY_STATES = `
local states = {}
-- The number of the current transaction.
local current = 0

local function state_of(key)
  local state = states[key]
  if state then return state end
  local raw = redis.call('GET', KEYS[key])
  state = { exists = raw and true, cells = raw and read_cells(raw, KEYS[key]) }
  states[key] = state
  return state
end

local function mark_dirty(state, plan, cells)
  state.cells = cells
  state.plan = plan
  state.dirty = state.dirty or current
end

-- The cells that a call concerns, and whether the key is new.
local function cells_of(state, plan, now, changes)
  local cells = state.cells
  local new = not cells
  if new or (plan.starts_empty and idle_in(plan, cells, now) == 0) then
    cells = init(plan, now)
    -- An expired key starts anew, even if nothing is taken.
    if not new and changes then mark_dirty(state, plan, cells) end
  end
  return cells, new
end
`;
