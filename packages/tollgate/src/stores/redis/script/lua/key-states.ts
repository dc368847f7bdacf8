import { UNION } from "../layout.ts";

/** The keys of the call. Each is read lazily, and written at the end if it is dirty. */
export const KEY_STATES: string = `
-- A value begins with the head of its layout, or with this one (sections.ts).
local UNION = '${UNION}'
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
`;

/** The cells that a call concerns. */
export const CELLS_OF = `
-- Leases need what is defined after this.
local leases

-- Returns the cells, whether the key is new, the plan that decides, which with keep-first may have other numbers, and
-- the limits from which the counts moved.
local function cells_of(state, plan, now, changes)
  local cells, from = state.cells, nil
  if state.head and state.head ~= plan.head and plan.count > 0 then
    cells, plan, from = carry().enter(state, plan, now, changes)
  end
  local new = not cells
  if new or (plan.starts_empty and idle_in(plan, cells, now) == 0) then
    cells = init(plan, now)
    -- An expired key starts anew, even if nothing is taken.
    if not new and changes then mark_dirty(state, plan, cells) end
  end
  if state.leases and not state.is_settling then leases().lift(state, plan, cells, now, changes) end
  return cells, new, plan, from
end
`;
