/** The twin of `algorithms/compiled-plan.ts`: what the verbs mean for the cells of one key. */
export const PLANS = `
local makers = { b = token_buckets, s = sliding_windows, f = fixed_windows }
local kernels = {}

local function read_plan()
  local plan = { count = next_number(), idle = next_number(), starts_empty = false }
  for i = 1, plan.count do
    local kind = next_text()
    kernels[kind] = kernels[kind] or makers[kind]()
    local limit = { kernel = kernels[kind], enforces = next_number() == 1 }
    limit.at = next_number()
    limit.capacity = next_number()
    limit.kernel.read(limit)
    if limit.starts_full == false then plan.starts_empty = true end
    plan[i] = limit
  end
  return plan
end

local function init(plan, now)
  local cells = { raw = '' }
  for i = 1, plan.count do plan[i].kernel.init(plan[i], cells, now) end
  return cells
end

-- Microseconds until the key is as good as new; 0 if it is.
local function until_new(plan, cells, now)
  local since = now - plan.idle
  local longest = 0
  for i = 1, plan.count do
    longest = max(longest, plan[i].kernel.reset(plan[i], cells, since))
  end
  return longest
end

-- How often a cost can be taken, one time after another at one instant, but no more than so often.
local function fitting(limit, cells, now, cost, most)
  if not limit.kernel.conforms(limit, cells, now, cost) then return 0 end
  if cost == 0 then return most end
  return min(limit.kernel.fits(limit, cells, now, cost), most)
end

local function conform(plan, cells, now, costs, entries, at)
  local admitted = true
  for i = 1, plan.count do
    local limit = plan[i]
    local conforms = limit.kernel.conforms(limit, cells, now, costs[i])
    entries[at + ENTRY * (i - 1)] = conforms and 1 or 0
    if not conforms and limit.enforces then admitted = false end
  end
  return admitted
end

-- Says whether anything was taken.
local function change(plan, verb, admitted, cells, now, costs, entries, at)
  if verb == 'e' or (not admitted and (verb == 't' or verb == 'p')) then return false end
  local changed = false
  for i = 1, plan.count do
    local limit = plan[i]
    local cost = costs[i]
    if cost > 0 then
      if verb == 'c' or limit.enforces or entries[at + ENTRY * (i - 1)] == 1 then
        limit.kernel.take(limit, cells, now, cost)
        changed = true
      end
    end
  end
  return changed
end

-- Takes or charges as often as all enforcing limits conform, at most so often, and says how often. At one instant, to take once as much
-- is to the bit what to take several times is.
local function take_repeatedly(plan, verb, cells, now, costs, times)
  local admitted = times
  for i = 1, plan.count do
    if plan[i].enforces then admitted = fitting(plan[i], cells, now, costs[i], admitted) end
  end
  local changed = false
  if admitted == 0 then return 0, false end
  for i = 1, plan.count do
    local limit, cost = plan[i], costs[i]
    if cost > 0 then
      local taken = admitted
      if verb == 't' and not limit.enforces then taken = fitting(limit, cells, now, cost, taken) end
      if taken > 0 then
        limit.kernel.take(limit, cells, now, taken * cost)
        changed = true
      end
    end
  end
  return admitted, changed
end

-- Charges so often, whether or not the limits conform. Says whether anything was.
local function charge_repeatedly(plan, cells, now, costs, times)
  local changed = false
  for i = 1, plan.count do
    if costs[i] > 0 then
      plan[i].kernel.take(plan[i], cells, now, times * costs[i])
      changed = true
    end
  end
  return changed
end

-- Gives back so often; where it is known when they were taken, what must still count of them. Says whether anything may have been.
local function give_back(plan, cells, now, costs, times, taken)
  local changed = false
  for i = 1, plan.count do
    local limit, kernel, cost = plan[i], plan[i].kernel, costs[i]
    if cost > 0 and not taken then
      kernel.give_back(limit, cells, now, cost, times)
      changed = true
    elseif cost > 0 and kernel.give_back_since then
      kernel.give_back_since(limit, cells, now, times * cost, taken, skew)
      changed = true
    end
  end
  return changed
end

local function describe(plan, cells, now, costs, entries, at)
  for i = 1, plan.count do
    local limit = plan[i]
    local kernel = limit.kernel
    local wait = kernel.wait(limit, cells, now, costs[i])
    local entry = at + ENTRY * (i - 1)
    entries[entry + 1] = kernel.used(limit, cells, now)
    entries[entry + 2] = wait
    entries[entry + 3] = wait == NEVER and 0 or kernel.used(limit, cells, now + wait)
    entries[entry + 4] = kernel.reset(limit, cells, now)
  end
end
`;
