-- `algorithms/ticks.ts` and the kernel of `algorithms/token-bucket.ts` in Lua; the comments there give the reasons.

local function token_buckets()
  -- The upper 26 bits of 53.
  local function high_half(value)
    local shifted = value * 134217729
    return shifted - (shifted - value)
  end

  local function product_error(a, b, product)
    local a_high = high_half(a)
    local a_low = a - a_high
    local b_high = high_half(b)
    local b_low = b - b_high
    return a_low * b_low - (product - a_high * b_high - a_low * b_high - a_high * b_low)
  end

  local function product_difference(a, b, c, d)
    local ab = a * b
    local cd = c * d
    return ab - cd + (product_error(a, b, ab) - product_error(c, d, cd))
  end

  local function ticks_after(limit, elapsed)
    if limit.exact then return elapsed * limit.ticks_per_us end
    local periods = floor(elapsed / limit.period)
    local rest = elapsed - periods * limit.period
    local product = rest * limit.ticks_per_us
    local whole = floor(product)
    local fraction = product - whole
    if not (fraction > limit.doubt and fraction < 1 - limit.doubt) then
      local remainder = product_difference(rest, limit.ticks_per_period, whole, limit.period)
      if remainder < 0 then
        whole = whole - 1
      elseif remainder >= limit.period then
        whole = whole + 1
      end
    end
    return periods * limit.ticks_per_period + whole
  end

  local function ticks_at(limit, us)
    return ticks_after(limit, us - limit.origin)
  end

  -- The first whole microsecond after the origin at which this tick has been reached.
  local function elapsed_at(limit, ticks)
    if limit.exact then return ceil(ticks / limit.ticks_per_us) end
    local periods = floor(ticks / limit.ticks_per_period)
    local rest = ticks - periods * limit.ticks_per_period
    local us = periods * limit.period + ceil(rest / limit.ticks_per_us)
    if us > LAST_EXACT or us < -LAST_EXACT then return us end
    while ticks_after(limit, us) < ticks do us = us + 1 end
    while ticks_after(limit, us - 1) >= ticks do us = us - 1 end
    return us
  end

  local function until_us(limit, ticks, us)
    if ticks <= ticks_at(limit, us) then return 0 end
    return elapsed_at(limit, ticks) - (us - limit.origin)
  end

  local function give_back(limit, cells, now, cost, times)
    local now_ticks = ticks_at(limit, now)
    local full = get(cells, limit.at)
    if full <= now_ticks then return end
    local cost_ticks = cost * limit.unit
    local most = max(floor(LAST_EXACT / cost_ticks), 1)
    -- One step, unless the product exceeds the exact integers.
    while times > 0 and full > now_ticks do
      local at_once = min(times, most)
      full = max(full - at_once * cost_ticks, now_ticks)
      times = times - at_once
    end
    put(cells, limit.at, full)
  end

  return {
    read = function(limit)
      limit.unit = next_number()
      limit.origin = next_number()
      limit.most_debt = next_number()
      limit.starts_full = next_number() == 1
      limit.exact = next_number() == 1
      limit.ticks_per_us = next_number()
      if limit.exact then return end
      limit.period = next_number()
      limit.ticks_per_period = next_number()
      limit.doubt = limit.ticks_per_period * 2 ^ -51
    end,

    init = function(limit, cells, now)
      local full = -huge
      if not limit.starts_full then full = ticks_at(limit, now) + limit.capacity * limit.unit end
      put(cells, limit.at, full)
    end,

    conforms = function(limit, cells, now, cost)
      local now_ticks = ticks_at(limit, now)
      return max(get(cells, limit.at), now_ticks) + (cost - limit.capacity) * limit.unit <= now_ticks
    end,

    take = function(limit, cells, now, cost)
      local now_ticks = ticks_at(limit, now)
      local before = get(cells, limit.at)
      local full = max(before, now_ticks) + cost * limit.unit
      put(cells, limit.at, max(before, min(full, now_ticks + limit.most_debt)))
    end,

    give_back = give_back,

    correct = function(limit, cells, now, units, moment)
      if now < moment then give_back(limit, cells, now, units, 1) end
    end,

    -- Units that were taken at a moment keep the bucket from being full for as long as they take to refill, less the
    -- time since; longer if other units were taken too, never shorter. A take in the future has another clock and
    -- proves nothing.
    give_back_since = function(limit, cells, now, cost, taken)
      if now < taken then return end
      local now_ticks = ticks_at(limit, now)
      local full = get(cells, limit.at)
      local passed = ticks_at(limit, now) - ticks_at(limit, taken)
      local counts = cost * limit.unit - passed
      if counts > 0 and full > now_ticks then put(cells, limit.at, max(full - counts, now_ticks)) end
    end,

    -- Leases are units that may still be spent: at least these count as used at a moment.
    refills = true,

    lift = function(limit, cells, moment, units)
      local full = ticks_at(limit, moment) + min(units * limit.unit, limit.most_debt)
      if full > get(cells, limit.at) then put(cells, limit.at, full) end
    end,

    -- When a bucket is full again of which these units count as used at a moment.
    refilled_at = function(limit, moment, units)
      return limit.origin + elapsed_at(limit, ticks_at(limit, moment) + units * limit.unit)
    end,

    take_back = function(limit, cells, now, units)
      local full = get(cells, limit.at) - units * limit.unit
      put(cells, limit.at, max(full, min(get(cells, limit.at), ticks_at(limit, now))))
    end,

    -- How often a conforming cost fits. A quotient of whole numbers below 2^53 is never rounded up to a whole.
    fitting = function(limit, cells, now, cost)
      local now_ticks = ticks_at(limit, now)
      local left = now_ticks - max(get(cells, limit.at), now_ticks) - (cost - limit.capacity) * limit.unit
      return floor(left / (cost * limit.unit)) + 1
    end,

    wait = function(limit, cells, now, cost)
      if cost > limit.capacity then return NEVER end
      return until_us(limit, get(cells, limit.at) + (cost - limit.capacity) * limit.unit, now)
    end,

    used = function(limit, cells, now)
      return ceil(max(0, get(cells, limit.at) - ticks_at(limit, now)) / limit.unit)
    end,

    reset = function(limit, cells, now)
      return until_us(limit, get(cells, limit.at), now)
    end,

    adopt_from = function(limit, cells, now, from, theirs)
      local used = max(0, get(theirs, from.at) - ticks_at(from, now))
      local rest = used % from.unit
      local part = 0
      if rest > 0 then part = min(floor(rest / from.unit * limit.unit) + 2, limit.unit) end
      local ticks = (used - rest) / from.unit * limit.unit + part
      -- A full bucket was full at all times, as a new one.
      put(cells, limit.at, ticks > 0 and ticks_at(limit, now) + min(ticks, limit.most_debt) or -huge)
    end,
  }
end
