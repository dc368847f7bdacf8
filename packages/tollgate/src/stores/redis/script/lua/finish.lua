-- Writes every changed key once, and replies.

-- How much later keys expire whose time a test gives. The test's clock may stand still, while the server's goes on.
local KEPT_FOR_TESTS_MS = 86400000
-- The latest expiry that Redis accepts.
local FARTHEST_MS = 4503599627370496

-- A state has these: microseconds until it is idle, and its value.
local left_of, value_of

-- The value of a changed row and the microseconds until it is idle; no value if it is idle. The same of a receipt.
local function changed_row(key)
  local state, receipt = states[key], receipts[key]
  if receipt then return receipt.revision > 0 and receipt.text or nil, receipt.ends - now_us end
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

-- Redis takes 0.4 µs to write a number as text, and the rows of a batch often expire together.
local expiry_texts = {}
local function expiry_text(expires)
  local text = expiry_texts[expires]
  if not text then
    text = string.format('%.0f', expires)
    expiry_texts[expires] = text
  end
  return text
end

-- If the server rejects the first write, the script has changed nothing. If it accepts that, it accepts the others.
local function finish()
  if args[1] == '2' then
    local rehearsed = { now_us }
    for key, how in pairs(to_write) do
      if how == true then rehearsed[#rehearsed + 1] = key end
    end
    return rehearsed
  end
  local removed, word, write = nil, by_server and 'PXAT' or 'PX', redis.pcall
  for _, how in pairs(to_write) do
    if how == true then write = redis.call end
  end
  for key in pairs(to_write) do
    local value, left = changed_row(key)
    if value then
      -- PX counts from a time of the server that may be slightly earlier than TIME in a script.
      local expires = by_server and ceil((now_us + left) / 1000) or ceil(left / 1000) + KEPT_FOR_TESTS_MS
      write('SET', keys[key], value, word, expiry_text(min(expires, FARTHEST_MS)))
    elseif values[key] or has_other_types then
      removed = removed or {}
      removed[#removed + 1] = keys[key]
    end
  end
  -- After a script removes a key, Redis no longer rejects its writes for lack of memory. So removals come last.
  for _, name in ipairs(removed or {}) do write('DEL', name) end
  return reply
end

if take_from_buckets() then return finish() end
