-- The cells that a call concerns.

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
