/**
 * Calls that are the same several times over, at one instant, and what is given back: decided at once, whatever their number. To the bit it
 * is what one after another would be. Most calls need none of this, and making functions takes time.
 */
export const REPEATS = `
local function make_repeats()
  -- How often a cost can be taken, one time after another, but no more than so often.
  local function fitting(limit, cells, now, cost, most)
    local kernel = limit.kernel
    if not kernel.conforms(limit, cells, now, cost) then return 0 end
    if cost == 0 then return most end
    if not kernel.ticks_at then return min(floor((limit.capacity - kernel.used(limit, cells, now)) / cost), most) end
    -- Whole numbers below 2^53, of which a quotient is never rounded up to a whole.
    local now_ticks = kernel.ticks_at(limit, now)
    local left = now_ticks - max(get(cells, limit.at), now_ticks) - (cost - limit.capacity) * limit.unit
    return min(floor(left / (cost * limit.unit)) + 1, most)
  end

  -- Takes or charges as often as all enforcing limits conform. Says how often, and whether that changed anything.
  local function take_fitting(plan, verb, cells, now, costs, times)
    local admitted = times
    for i = 1, plan.count do
      if plan[i].enforces then admitted = fitting(plan[i], cells, now, costs[i], admitted) end
    end
    local changed = false
    for i = 1, plan.count do
      local limit, cost, taken = plan[i], costs[i], admitted
      if cost > 0 and taken > 0 and verb == 't' and not limit.enforces then
        taken = fitting(limit, cells, now, cost, taken)
      end
      if cost > 0 and taken > 0 then
        limit.kernel.take(limit, cells, now, taken * cost)
        changed = true
      end
    end
    return admitted, changed
  end

  -- Units that were taken at once keep a bucket from being full for what they take to come back, less the time since: longer where others
  -- were taken too, never less. A moment before they were taken is that of another clock, and shows nothing.
  local function give_back_since(limit, cells, now, cost, taken)
    local ticks_at = limit.kernel.ticks_at
    if not ticks_at or now < taken then return end
    local now_ticks = ticks_at(limit, now)
    local full = get(cells, limit.at)
    local passed = ticks_at(limit, now + skew) - ticks_at(limit, taken)
    local counts = cost * limit.unit - passed
    if counts > 0 and full > now_ticks then put(cells, limit.at, max(full - counts, now_ticks)) end
  end

  local function give_back(plan, cells, now, costs, times, taken)
    local changed = false
    for i = 1, plan.count do
      local limit, cost = plan[i], costs[i]
      if cost > 0 then
        changed = true
        if taken then
          give_back_since(limit, cells, now, times * cost, taken)
        else
          limit.kernel.give_back(limit, cells, now, cost, times)
        end
      end
    end
    return changed
  end

  return {
    -- Takes or charges as often as it is admitted; says how often.
    take = function(verb, call, now, times)
      local plan, state = call.plan, state_of(call.key)
      local cells, new = cells_of(state, plan, now, false)
      local admitted, changed = take_fitting(plan, verb, cells, now, call.costs, times)
      if changed or (admitted > 0 and new and plan.starts_empty) then keep(state, plan, cells) end
      return admitted
    end,

    -- Charges whether or not the limits conform.
    charge = function(call, now, times)
      local plan, state = call.plan, state_of(call.key)
      local cells, new = cells_of(state, plan, now, false)
      local changed = new and plan.starts_empty
      for i = 1, plan.count do
        if call.costs[i] > 0 then
          plan[i].kernel.take(plan[i], cells, now, times * call.costs[i])
          changed = true
        end
      end
      if changed then keep(state, plan, cells) end
    end,

    -- Of what was taken at a moment that is told, what must still count is given back, and of windows nothing.
    refund = function(call, now, costs, times, taken)
      local plan, state = call.plan, state_of(call.key)
      -- One may leave nothing in use, so that a key that starts empty should have been forgotten, and the next finds it as it begins.
      local rounds = plan.starts_empty and times or 1
      for _ = 1, rounds do
        local cells, new = cells_of(state, plan, now, false)
        local changed = give_back(plan, cells, now, costs, times / rounds, taken)
        -- What was never taken is as good as new.
        if new and plan.starts_empty or changed and not new then keep(state, plan, cells) end
      end
    end,
  }
end

local made_repeats

local function repeats()
  made_repeats = made_repeats or make_repeats()
  return made_repeats
end
`;
