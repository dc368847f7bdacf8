-- Receipts of reservations that any process may settle. Each is the value of a key of its own: the format, a revision,
-- the moment at which the reservation counts as settled, and words for clients. A receipt changes together with the
-- counts that it is about, if its revision is the one that the client has read.

local RECEIPT_HEAD = '^' .. RECEIPT_FORMAT .. ' (%d+) (%d+) '
local NO_RECEIPT = { revision = 0, ends = 0, text = '' }

local function receipt_of(key)
  if receipts[key] then return receipts[key] end
  if not values[key] then return NO_RECEIPT end
  local revision, ends = string.match(values[key], RECEIPT_HEAD)
  if not revision then
    error('tollgate: key ' .. keys[key] .. ': expected a receipt of format ' .. RECEIPT_FORMAT, 0)
  end
  return ends + 0 > now_us and { revision = revision + 0, ends = ends + 0, text = values[key] } or NO_RECEIPT
end

-- What calls took: the moment of each, and for each limit the units and when they leave.
local function taken_by(verb, calls, entries)
  local numbers, place = { string.rep(string.format(' %.0f', now_us), #calls) }, 1
  for _, one in ipairs(calls) do
    for i = 1, one.plan.count do
      -- Places last by the time to live under which they were taken.
      local limit = (verb.renews and one or one.counts).plan[i]
      local taken_until = limit.kernel.taken_until
      local leaves = taken_until and taken_until(limit, one.counts[i], now_us) or now_us + entries[place + 4]
      local units = (verb.charges or entries[place] == 1) and one.costs[i] or 0
      numbers[#numbers + 1] = string.format('%.0f %.0f', units, leaves)
      place = place + ENTRY
    end
  end
  return table.concat(numbers, ' ')
end

-- Gives back, then charges or renews. Returns whether these calls conformed.
local function change_receipt(change)
  local before, receipt, taken, admitted = receipt_of(change.key), NO_RECEIPT, '', true
  correct(change.given)
  if #change.calls > 0 then
    local verb, entries = verb_of(change.verb), {}
    admitted = transact(verb, change.calls, entries, true)
    taken = taken_by(verb, change.calls, entries)
  end
  if change.words then
    local revision, ends = before.revision + 1, change.ttl > 0 and now_us + change.ttl or before.ends
    local head = string.format('%s %.0f %.0f ', RECEIPT_FORMAT, revision, ends)
    receipt = { revision = revision, ends = ends, text = head .. table.concat(change.words, ' ') .. taken }
  end
  receipts[change.key] = receipt
  to_write[change.key] = true
  return admitted
end
