-- The keys of the call. Each is read lazily, and written at the end if it is dirty.

-- A value begins with the head of its layout, or with this one (sections.ts).
local UNION = UNION_HEAD
local states = {}
-- The number of the current transaction.
local current = 0

local function state_of(key)
  local state = states[key]
  if state then return state end
  local raw = redis.call('GET', KEYS[key])
  state = {
    exists = raw and true,
    cells = raw and read_cells(raw, KEYS[key]),
    head = raw and string.sub(raw, 1, 8),
    group = 0,
    last_group = 0,
    -- Cells of other plans, which no call under the current one changes.
    parked = {}
  }
  states[key] = state
  return state
end

-- The state's cells are now those of a plan.
local function arrange(state, plan, cells)
  if state.head ~= plan.head then state.firsts = nil end
  state.cells = cells
  state.plan = plan
  state.head = plan.head
end

local function mark_dirty(state, plan, cells)
  arrange(state, plan, cells)
  state.dirty = state.dirty or current
end
