-- Identical takes at one instant, decided at once, whatever their number. The result equals that of the calls one after
-- another, to the bit. Then what is given back.

-- How often a cost can be taken, one time after another, at most so often.
local function fitting(limit, cells, cost, most)
  local kernel = limit.kernel
  if not kernel.conforms(limit, cells, now_us, cost) then return 0 end
  if cost == 0 then return most end
  if kernel.fitting then return min(kernel.fitting(limit, cells, now_us, cost), most) end
  return min(floor((limit.capacity - kernel.used(limit, cells, now_us)) / cost), most)
end

-- Takes as often as all enforcing limits conform. Returns how often, and whether a cell changed.
local function take_at_once(counts, costs, times)
  local plan, admitted, changed = counts.plan, times, false
  for i = 1, plan.count do
    if plan[i].enforces then admitted = fitting(plan[i], counts[i], costs[i], admitted) end
  end
  for i = 1, plan.count do
    local limit, cost, taken = plan[i], costs[i], admitted
    if cost > 0 and taken > 0 and not limit.enforces then
      taken = fitting(limit, counts[i], cost, taken)
    end
    if cost > 0 and taken > 0 then
      limit.kernel.take(limit, counts[i], now_us, taken * cost)
      changed = true
    end
  end
  return admitted, changed
end

-- The same for a key.
local function take_repeatedly(call, times)
  local state = state_of(call.key)
  local counts = counts_of(state, call.plan, true)
  call.counts = counts
  local admitted, changed = take_at_once(counts, call.costs, times)
  if changed or (admitted > 0 and counts.new and counts.plan.starts_empty) then keep(state, counts) end
  return admitted
end

-- Gives back units of takes, as far as they still count.
local function correct(calls)
  local passes = {}
  for _, call in ipairs(calls) do
    local state = state_of(call.key)
    local counts = counted_now(state, call.plan)
    for i = 1, call.plan.count do
      local limit, cells, units = counts.plan[i], counts[i], call.costs[i]
      if units > 0 and state.entries[limit.id] and remembers(state, limit, call.moment) then
        mark_changed(state)
        if limit.kernel.correct_all then
          passes[cells] = passes[cells] or { limit = limit, takes = {} }
          table.insert(passes[cells].takes, { units = units, moment = call.untils[i] })
        else
          limit.kernel.correct(limit, cells, now_us, units, call.untils[i])
        end
      end
    end
  end
  for cells, pass in pairs(passes) do pass.limit.kernel.correct_all(pass.limit, cells, now_us, pass.takes) end
end

-- Whether a limit of the plan that counts no places was counted under other numbers, which may have refilled more.
local function counts_apart(state, call)
  for i = 1, call.plan.count do
    local limit = call.plan[i]
    local entry = state.entries[limit.id]
    if call.costs[i] > 0 and not limit.kernel.extend and entry and entry.limit.description ~= limit.description then
      return true
    end
  end
  return false
end

-- If the moment of the take is known, only what must still count is given back: to buckets a part, to windows nothing.
local function refund(call, taken)
  local state = state_of(call.key)
  if taken and counts_apart(state, call) then return end
  local counts = counts_of(state, call.plan, true)
  local plan, changed = counts.plan, false
  for i = 1, plan.count do
    local limit, cost = plan[i], call.costs[i]
    if cost > 0 then
      changed = true
      if not taken then
        limit.kernel.give_back(limit, counts[i], now_us, cost)
      elseif limit.kernel.give_back_since then
        limit.kernel.give_back_since(limit, counts[i], now_us, cost, taken)
      end
    end
  end
  -- A key that was never taken from is idle.
  if counts.new and plan.starts_empty or changed and not counts.new then keep(state, counts) end
end
