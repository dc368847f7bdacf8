/** The keys of the call: each is read when it is asked for at first, and written at the end if it is dirty. */
export const STATES = `
local states = {}
-- Which transaction is carried out.
local current = 0

local function state_of(key)
  local state = states[key]
  if state then return state end
  local raw = redis.call('GET', KEYS[key])
  state = { kept = raw and true, cells = raw and read_cells(raw, KEYS[key]) }
  states[key] = state
  return state
end

local function keep(state, plan, cells)
  state.cells = cells
  state.plan = plan
  state.dirty = state.dirty or current
end

-- The cells that a call is for, and whether the key is new.
local function cells_of(state, plan, now, looks)
  local cells = state.cells
  local new = not cells
  if new or (plan.starts_empty and until_new(plan, cells, now) == 0) then
    cells = init(plan, now)
    -- A key that should have been forgotten begins anew, though nothing may be taken.
    if not new and not looks then keep(state, plan, cells) end
  end
  return cells, new
end
`;
