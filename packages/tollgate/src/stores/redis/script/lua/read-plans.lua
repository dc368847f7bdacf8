-- A plan has the number of arguments that describe it, and these; then the format of a row that
-- `take-from-buckets.lua` can decide, and its numbers.

local at = 4
local plans = {}
for i = 1, args[4] + 0 do
  local described_at = at + 2
  at = described_at + args[at + 1]
  local format, plan = args[at], { described_at = described_at }
  if format ~= '' then
    local count = args[described_at] + 0
    local length = 8
    for b = 1, 8 * count, 8 do
      local description = args[described_at + 2 + 3 * (b - 1) / 8] .. FIRST_GROUP
      plan[b] = args[at + 1] + 0
      plan[b + 1] = args[at + 2] + 0
      plan[b + 2] = args[at + 3] + 0
      plan[b + 3] = args[at + 4] + 0
      plan[b + 4] = (now_us - origin) * plan[b + 3]
      plan[b + 7] = description
      length = length + #description + 7
      at = at + 4
    end
    plan.format, plan.length, plan.last = format, length, 8 * count
  end
  plans[i] = plan
end
