-- Writes every changed key once, and replies.

-- How much later keys expire whose time a test gives. The test's clock may stand still, while the server's goes on.
local KEPT_FOR_TESTS_MS = 86400000
-- The latest expiry that Redis accepts.
local FARTHEST_MS = 4503599627370496

-- A state has these: microseconds until it is idle, and its value.
local left_of, value_of

-- The value of a changed row and the microseconds until it is idle; no value if it is idle.
local function changed_row(key)
  local state = states[key]
  if state then
    local left = left_of(state)
    return left > 0 and value_of(state) or nil, left
  end
  local row, left = rows[key], 0
  local plan = row[#row]
  for b = 1, plan.last, 8 do
    local full = row[plan[b]]
    if full > plan[b + 4] then left = max(left, ceil(full / plan[b + 3]) - since_origin) end
  end
  return struct.pack(plan.format, unpack(row, 1, plan.last / 4 + 2)), left
end

-- The reply, with a rejection for each transaction of a key that should have been written by then; nil if the error of
-- the first write is not in the list of `rejected-writes.ts`. A rejection is the place in the list, from 1 and negated.
local function rejected_reply(failed)
  local rejection
  for number, text in ipairs(REJECTED_TEXTS) do
    if not rejection and string.find(failed, text, 1, true) then rejection = -number end
  end
  if not rejection then return nil end
  local unwritten, final = {}, { now_us }
  for key in pairs(changed_by) do unwritten[key] = values[key] or has_other_types or changed_row(key) end
  begins[current + 1] = size + 1
  for transaction = 1, current do
    local key, rejected = keys_of[transaction], false
    for _, one in ipairs(type(key) == 'number' and { { key = key } } or key) do
      local since = unwritten[one.key] and changed_by[one.key]
      rejected = rejected or since and (since < transaction or since == transaction and not gave_nothing[transaction])
    end
    if rejected then
      final[#final + 1] = rejection
    else
      for place = begins[transaction], begins[transaction + 1] - 1 do final[#final + 1] = reply[place] end
    end
  end
  return final
end

local function finish()
  local removed, write, word = nil, redis.pcall, by_server and 'PXAT' or 'PX'
  for key in pairs(changed_by) do
    local value, left = changed_row(key)
    if value then
      -- PX counts from a time of the server that may be slightly earlier than TIME in a script.
      local expires = by_server and ceil((now_us + left) / 1000) or ceil(left / 1000) + KEPT_FOR_TESTS_MS
      local answer = write('SET', keys[key], value, word, min(expires, FARTHEST_MS))
      if write ~= redis.call then
        -- If the first write succeeds, the others do.
        write = redis.call
        if answer.err then
          -- Some errors are only raised by `call`.
          return rejected_reply(answer.err) or write('SET', keys[key], value, word, min(expires, FARTHEST_MS))
        end
      end
    elseif values[key] or has_other_types then
      removed = removed or {}
      removed[#removed + 1] = key
    end
  end
  -- After a script removes a key, Redis no longer rejects its writes for lack of memory. So removals come last.
  for _, key in ipairs(removed or {}) do
    local answer = write('DEL', keys[key])
    if write ~= redis.call then
      write = redis.call
      if type(answer) == 'table' then return rejected_reply(answer.err) or write('DEL', keys[key]) end
    end
  end
  return reply
end

if take_from_buckets() then return finish() end
