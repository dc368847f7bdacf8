-- Identical calls at one instant, and refunds: decided at once, whatever their number. The result equals that of the
-- calls one after another, to the bit. Created lazily: most calls need none of this, and creating functions takes
-- time.

local function make_repeats()
  -- How often a cost can be taken, one time after another, at most so often.
  local function fitting(limit, cells, now, cost, most)
    local kernel = limit.kernel
    if not kernel.conforms(limit, cells, now, cost) then return 0 end
    if cost == 0 then return most end
    if kernel.fitting then return min(kernel.fitting(limit, cells, now, cost), most) end
    return min(floor((limit.capacity - kernel.used(limit, cells, now)) / cost), most)
  end

  -- Takes or charges as often as all enforcing limits conform. Returns how often, and whether it changed a cell.
  local function take_fitting(plan, verb, cells, now, costs, times)
    local admitted = times
    for i = 1, plan.count do
      if plan[i].enforces then admitted = fitting(plan[i], cells, now, costs[i], admitted) end
    end
    local changed = false
    for i = 1, plan.count do
      local limit, cost, taken = plan[i], costs[i], admitted
      if cost > 0 and taken > 0 and not verb.charges and not limit.enforces then
        taken = fitting(limit, cells, now, cost, taken)
      end
      if cost > 0 and taken > 0 then
        limit.kernel.take(limit, cells, now, taken * cost)
        changed = true
      end
    end
    return admitted, changed
  end

  local function give_back(plan, cells, now, costs, times, taken)
    local changed = false
    for i = 1, plan.count do
      local limit, cost = plan[i], costs[i]
      if cost > 0 then
        changed = true
        if taken then
          local give_back_since = limit.kernel.give_back_since
          if give_back_since then give_back_since(limit, cells, now, times * cost, taken) end
        else
          limit.kernel.give_back(limit, cells, now, cost, times)
        end
      end
    end
    return changed
  end

  local function gives_units(plan, costs)
    for i = 1, plan.count do
      if costs[i] > 0 and not plan[i].kernel.extend then return true end
    end
    return false
  end

  return {
    -- Takes or charges as often as the calls are admitted. Returns how often.
    take = function(verb, call, now, times)
      local state = state_of(call.key)
      local cells, new, plan = cells_of(state, call.plan, now, true)
      local admitted, changed = take_fitting(plan, verb, cells, now, call.costs, times)
      if changed or (admitted > 0 and new and plan.starts_empty) then mark_dirty(state, plan, cells) end
      return admitted
    end,

    -- Charges whether or not the limits conform.
    charge = function(call, now, times)
      local state = state_of(call.key)
      local cells, new, plan = cells_of(state, call.plan, now, true)
      local changed = new and plan.starts_empty
      for i = 1, plan.count do
        if call.costs[i] > 0 then
          plan[i].kernel.take(plan[i], cells, now, times * call.costs[i])
          changed = true
        end
      end
      if changed then mark_dirty(state, plan, cells) end
    end,

    -- Gives back units of one take, as far as they still count. A new key has none of them.
    correct = function(call, now)
      local state = state_of(call.key)
      local cells, new, plan = cells_of(state, call.plan, now, true)
      if new then return end
      for i = 1, plan.count do
        if call.costs[i] > 0 then
          plan[i].kernel.correct(plan[i], cells, now, call.costs[i], call.untils[i])
          mark_dirty(state, plan, cells)
        end
      end
    end,

    -- If the moment of the take is known, only what must still count is given back: to buckets a part, to windows
    -- nothing.
    refund = function(call, now, costs, times, taken)
      local plan, state = call.plan, state_of(call.key)
      -- Other numbers may have refilled more since. Places are known by their moments, whatever the numbers.
      local moved = taken and state.head and state.head ~= plan.head and gives_units(plan, costs)
      if moved and carry().counts_apart(state, plan, now) then return end
      -- One refund may make a key that starts empty idle, and so expired; the next then finds it as it starts.
      local rounds = plan.starts_empty and times or 1
      for _ = 1, rounds do
        local cells, new, deciding = cells_of(state, call.plan, now, true)
        local changed = give_back(deciding, cells, now, costs, times / rounds, taken)
        -- A key that was never taken from is idle.
        if new and deciding.starts_empty or changed and not new then mark_dirty(state, deciding, cells) end
      end
    end,
  }
end

local made_repeats

local function repeats()
  made_repeats = made_repeats or make_repeats()
  return made_repeats
end
