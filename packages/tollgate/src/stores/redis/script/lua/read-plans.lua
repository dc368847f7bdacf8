-- The text of a plan that `take-from-buckets.lua` can decide begins with the format of its row, that of another plan
-- with a space. For each bucket it has the description and numbers.
local function read_buckets(text)
  -- The array has its final size for one bucket.
  local plan = { text = text, format = string.match(text, '^%S+'), last = 0, length = 8, 0, 0, 0, 0, 0, 0, 0, 0 }
  for description, cell, capacity, unit, per_us in string.gmatch(text, ' (%S+) (%d+) (%d+) (%d+) (%d+)') do
    local b = plan.last + 1
    plan[b], plan[b + 1], plan[b + 2], plan[b + 3] = cell + 0, capacity + 0, unit + 0, per_us + 0
    plan[b + 4] = (now_us - origin) * plan[b + 3]
    plan[b + 5], plan[b + 6], plan[b + 7] = 0, 0, description .. FIRST_GROUP
    plan.last, plan.length = b + 7, plan.length + #plan[b + 7] + 7
  end
  return plan
end

local plans = {}
repeat
  at = at + 1
  local text = args[at]
  if string.byte(text, 2) == 126 then
    local from, to, rest = string.match(text, '^ ~(%S+) (%S+)(.*)$')
    -- The windows of the calendar are described for other times: with this one, the caller describes them again.
    if now_us < from + 0 or now_us >= to + 0 then return { now_us } end
    text = rest
  end
  plans[#plans + 1] = string.byte(text) == 60 and read_buckets(text) or { text = text }
until not string.find(args[at + 1], '^[< ]')
