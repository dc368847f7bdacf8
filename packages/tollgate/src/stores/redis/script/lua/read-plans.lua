-- A plan that `take-from-buckets.lua` can decide has the format of its row, whether the first numbers are kept, the
-- number of buckets, and for each its description and its numbers. Another plan has no format, the number of arguments
-- that describe it, and these.

local at = 4
local plans = {}
for i = 1, args[4] + 0 do
  local format = args[at + 1]
  if format == '' then
    plans[i] = { described_at = at + 3 }
    at = at + 2 + args[at + 2]
  else
    local last, length = 8 * args[at + 3], 8
    -- Allocates the array at its final size. Its contents are replaced.
    local plan = { format = format, keeps_first = 0, last = last, length = 0, unpack(args, at, at + last - 1) }
    plan.keeps_first = args[at + 2]
    at = at + 3
    for b = 1, last, 8 do
      local description = args[at + 1] .. FIRST_GROUP
      plan[b] = args[at + 2] + 0
      plan[b + 1] = args[at + 3] + 0
      plan[b + 2] = args[at + 4] + 0
      plan[b + 3] = args[at + 5] + 0
      plan[b + 4] = (now_us - origin) * plan[b + 3]
      plan[b + 7] = description
      length = length + #description + 7
      at = at + 5
    end
    plan.length = length
    plans[i] = plan
  end
end
