-- The fast form for takes and charges of plans of token buckets, all of them exact, enforcing and full at first, in
-- rows that have nothing else. A charge that conforms is a take; others are left to the general form. This file runs
-- before the rest is defined: to create and call functions costs as much as the arithmetic. It takes a third of the
-- general form's time in a batch, and a quarter of it for a lone call.
--
-- A plan's buckets are one array of eight numbers each, because a table per bucket takes longer than the arithmetic.
-- The numbers are the place of the cell in the row, the capacity, the ticks of a unit, the ticks of a microsecond, the
-- time in ticks, the cost, the cost less the capacity in ticks, and the description. A row is an array, too: the
-- version, when it was made, the description and the cell of each bucket, and the plan.

local since_origin = now_us - origin
-- The key of the current run with which to go on.
local next_key

-- The row of a key, with its plan at the end; nil if it has anything but the plan's buckets.
local function row_of(key, plan)
  local value = values[key]
  local row
  if states[key] or not value and has_other_types then return nil end
  local last = plan.last
  if not value then
    row = { VERSION, now_us }
    for b = 1, last, 8 do
      local cell = plan[b]
      row[cell - 1], row[cell] = plan[b + 7], LONG_AGO
    end
  else
    if #value ~= plan.length then return nil end
    row = { struct.unpack(plan.format, value) }
    if row[1] ~= VERSION then return nil end
    for b = 1, last, 8 do
      if row[plan[b] - 1] ~= plan[b + 7] then return nil end
    end
  end
  row[last / 4 + 3] = plan
  rows[key] = row
  return row
end

-- Goes on with the transactions, up to one that it cannot decide. Returns whether all are done.
local function take_from_buckets()
  while at < arg_count do
    local word, first_key, last_key, number, times, costs =
      string.match(args[at + 1], '^([tc]) (%d+) (%d+) (%d+) (%S+)(.*)$')
    local plan, charges = word and plans[number + 0], word == 'c'
    if not (plan and plan.format) then return false end
    times = times + 0
    local last, next_cost = plan.last, string.gmatch(costs, '%S+')
    -- Negative times request a report per call.
    local rounds, calls = 1, times
    if times < 0 then rounds, calls = -times, 1 end
    local some_cost = false
    for b = 1, last, 8 do
      local cost = next_cost() + 0
      if cost > 0 then some_cost = true end
      plan[b + 5] = cost
      plan[b + 6] = (cost - plan[b + 1]) * plan[b + 2]
    end
    for key = next_key or first_key + 0, last_key + 0 do
      local row = rows[key]
      if row then
        row = row[last / 4 + 3] == plan and row
      else
        row = row_of(key, plan)
      end
      if not row then
        next_key = key
        return false
      end
      current = current + 1
      size = size + 1
      local place, all_admitted = size, 0
      for _ = 1, rounds do
        local admitted = calls
        for b = 1, last, 8 do
          local from, now_ticks = row[plan[b]], plan[b + 4]
          if from < now_ticks then from = now_ticks end
          local left = now_ticks - from - plan[b + 6]
          if left < 0 then
            if charges then
              current, size, next_key = current - 1, size - 1, key
              return false
            end
            admitted = 0
            break
          end
          if plan[b + 5] > 0 then
            -- How often the cost fits. A quotient of whole numbers below 2^53 is never rounded up to a whole.
            local fit = floor(left / (plan[b + 5] * plan[b + 2])) + 1
            if fit < admitted then admitted = fit end
          end
        end
        if admitted > 0 and some_cost then
          for b = 1, last, 8 do
            local cost = plan[b + 5]
            if cost > 0 then
              local from, now_ticks = row[plan[b]], plan[b + 4]
              if from < now_ticks then from = now_ticks end
              row[plan[b]] = from + admitted * cost * plan[b + 2]
            end
          end
          to_write[key] = true
        end
        all_admitted = all_admitted + admitted
        if times < 0 or admitted < calls then
          for b = 1, last, 8 do
            local full, now_ticks, unit, per_us = row[plan[b]], plan[b + 4], plan[b + 2], plan[b + 3]
            local asked = plan[b + 6]
            local used, reset = 0, 0
            if full > now_ticks then
              used = ceil((full - now_ticks) / unit)
              reset = ceil(full / per_us) - since_origin
            end
            if asked <= 0 and full + asked <= now_ticks then
              reply[size + 1], reply[size + 2] = used + FITS, reset
              size = size + 2
            else
              local wait, used_after = NEVER, 0
              if asked <= 0 then
                wait = ceil((full + asked) / per_us) - since_origin
                local then_ticks = (now_us + wait - origin) * per_us
                if full > then_ticks then used_after = ceil((full - then_ticks) / unit) end
              end
              reply[size + 1] = admitted == calls and 1 or 0
              reply[size + 2] = used
              reply[size + 3] = wait
              reply[size + 4] = used_after
              reply[size + 5] = reset
              size = size + 5
            end
          end
          -- The calls after it are denied alike.
          if admitted == 0 then break end
        end
      end
      reply[place] = all_admitted
    end
    next_key = nil
    at = at + 1
  end
  return true
end
