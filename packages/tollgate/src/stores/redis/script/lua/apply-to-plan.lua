-- `algorithms/compiled-plan.ts` in Lua: what the verbs mean for the cells of one key.

local kernels = {}
-- Layouts and limits that the script knows, by heads and by the limits' identities.
local layouts, known_limits, limits_described = {}, {}, 0

-- Where the cells of a limit are in a value, and what identifies them.
local function read_layout(plan)
  plan.keeps_first = next_number() == 1
  layouts[plan.head] = plan
  for i = 1, plan.count do
    local limit = plan[i]
    limit.id = next_text()
    limit.name = next_text()
    limit.size = next_number()
    limit.idle = next_number()
    limits_described = limits_described + 1
    limit.number = limits_described
    known_limits[limit.id] = limit
  end
end

local function read_plan()
  local plan = { count = next_number(), idle = next_number(), head = next_text(), starts_empty = false }
  for i = 1, plan.count do
    local kind = next_text()
    kernels[kind] = kernels[kind] or makers[kind]()
    local limit = { kernel = kernels[kind], enforces = next_number() == 1 }
    limit.at = next_number()
    limit.capacity = next_number()
    limit.kernel.read(limit)
    if limit.starts_full == false then plan.starts_empty = true end
    local durations = next_number()
    if durations > 0 then
      limit.durations = {}
      for j = 1, durations do limit.durations[j] = next_number() end
      limit.forget_after = next_number()
      limit.extends = next_number() == 1
      plan.blocks = true
    end
    plan[i] = limit
  end
  read_layout(plan)
  return plan
end

local function init(plan, now)
  local cells = { raw = plan.head }
  for i = 1, plan.count do plan[i].kernel.init(plan[i], cells, now) end
  return cells
end

-- Microseconds until the key is idle; 0 if it is.
local function idle_in(plan, cells, now)
  local since = now - plan.idle
  local longest = 0
  for i = 1, plan.count do
    longest = max(longest, plan[i].kernel.reset(plan[i], cells, since))
  end
  return longest
end

local function check_conforms(plan, cells, now, costs, entries, at)
  local admitted = true
  for i = 1, plan.count do
    local limit = plan[i]
    local conforms = limit.kernel.conforms(limit, cells, now, costs[i])
    entries[at + ENTRY * (i - 1)] = conforms and 1 or 0
    if not conforms and limit.enforces then admitted = false end
  end
  return admitted
end

-- Takes what the verb takes. Returns whether it changed a cell.
local function take(plan, verb, admitted, cells, now, costs, entries, at)
  if not verb.takes or (verb.decides and not admitted) then return false end
  local changed = false
  for i = 1, plan.count do
    local limit = plan[i]
    local cost = costs[i]
    if cost > 0 then
      if verb.charges or limit.enforces or entries[at + ENTRY * (i - 1)] == 1 then
        limit.kernel.take(limit, cells, now, cost)
        changed = true
      end
    end
  end
  return changed
end

local function nothing_of(plan)
  local nothing = {}
  for i = 1, plan.count do nothing[i] = 0 end
  return nothing
end

-- Keeps the places of a take, as many as the costs say. Returns whether all are kept, and whether a cell changed.
local function renew(plan, cells, now, call, entries, at)
  local all, changed = true, false
  for i = 1, plan.count do
    local limit, cost, kept = plan[i], call.costs[i], true
    if cost ~= 0 then
      local extend = call.untils and limit.kernel.extend
      kept = extend and extend(limit, cells, now, cost, call.untils[i]) or false
    end
    entries[at + ENTRY * (i - 1)] = kept and 1 or 0
    all = all and kept
    changed = changed or (kept and cost ~= 0)
  end
  return all, changed
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
