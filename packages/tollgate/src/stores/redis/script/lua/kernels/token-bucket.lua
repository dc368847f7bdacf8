-- `algorithms/ticks.ts`, `core/limits/tick-scale.ts` and the kernel of `algorithms/token-bucket.ts` in Lua; the
-- comments there give the reasons. Cell: the tick at which the bucket is full again.

local function token_buckets()
  local HORIZON_US = 30 * 365.25 * 86400000000
  local REACH_US = 20 * 365.25 * 86400000000
  local TWO_53 = 2 ^ 53

  -- The rate in lowest terms, the ticks in a unit, and whether a tick is an exact part of a microsecond.
  local function tick_scale(capacity, refill, per)
    local divisor, rest = refill, per
    while rest ~= 0 do divisor, rest = rest, divisor % rest end
    local units, period = refill / divisor, per / divisor
    local function fits(unit)
      return HORIZON_US * (units / period * unit) + 4 * capacity * unit <= TWO_53
    end
    if fits(period) then return units, period, period, true end
    local unit = TWO_53
    while not fits(unit) do unit = unit / 2 end
    return units, period, unit, false
  end

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
    if us == now_us then return limit.now_ticks end
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

  local function give_back(limit, cells, now, cost)
    local now_ticks = ticks_at(limit, now)
    local full = get(cells, 1)
    if full > now_ticks then put(cells, 1, max(full - cost * limit.unit, now_ticks)) end
  end

  return {
    read = function(limit)
      local units, period, unit, exact = tick_scale(limit.capacity, limit.refill, limit.per)
      limit.unit, limit.exact, limit.period, limit.ticks_per_period = unit, exact, period, units * unit
      limit.ticks_per_us = exact and units or units * unit / period
      -- For inexact scales it is a multiple of the period, so that all origins round alike.
      limit.origin = exact and origin or floor(origin / period) * period
      limit.doubt = limit.ticks_per_period * 2 ^ -51
      limit.now_ticks = ticks_after(limit, now_us - limit.origin)
      -- The most ticks that a bucket may be from full: the exact integers beyond the reach of an origin.
      limit.most_debt = LAST_EXACT - ticks_after(limit, REACH_US) - limit.ticks_per_period
    end,

    init = function(limit, cells, now)
      local full = LONG_AGO
      if limit.starts_empty then full = ticks_at(limit, now) + limit.capacity * limit.unit end
      put(cells, 1, full)
    end,

    conforms = function(limit, cells, now, cost)
      local now_ticks = ticks_at(limit, now)
      return max(get(cells, 1), now_ticks) + (cost - limit.capacity) * limit.unit <= now_ticks
    end,

    take = function(limit, cells, now, cost)
      local now_ticks = ticks_at(limit, now)
      local before = get(cells, 1)
      local full = max(before, now_ticks) + cost * limit.unit
      put(cells, 1, max(before, min(full, now_ticks + limit.most_debt)))
    end,

    give_back = give_back,

    correct = function(limit, cells, now, units, moment)
      if now < moment then give_back(limit, cells, now, units) end
    end,

    -- Units that were taken at a moment keep the bucket from being full for as long as they take to refill, less the
    -- time since; longer if other units were taken too, never shorter. A take in the future has another clock and
    -- proves nothing.
    give_back_since = function(limit, cells, now, cost, taken)
      if now < taken then return end
      local now_ticks = ticks_at(limit, now)
      local full = get(cells, 1)
      local passed = ticks_at(limit, now) - ticks_at(limit, taken)
      local counts = cost * limit.unit - passed
      if counts > 0 and full > now_ticks then put(cells, 1, max(full - counts, now_ticks)) end
    end,

    -- Leases are units that may still be spent: at least these count as used at a moment.
    refills = true,

    lift = function(limit, cells, moment, units)
      local full = ticks_at(limit, moment) + min(units * limit.unit, limit.most_debt)
      if full > get(cells, 1) then put(cells, 1, full) end
    end,

    -- When a bucket is full again of which these units count as used at a moment.
    refilled_at = function(limit, moment, units)
      return limit.origin + elapsed_at(limit, ticks_at(limit, moment) + units * limit.unit)
    end,

    take_back = function(limit, cells, now, units)
      local full = get(cells, 1) - units * limit.unit
      put(cells, 1, max(full, min(get(cells, 1), ticks_at(limit, now))))
    end,

    -- How often a conforming cost fits. A quotient of whole numbers below 2^53 is never rounded up to a whole.
    fitting = function(limit, cells, now, cost)
      local now_ticks = ticks_at(limit, now)
      local left = now_ticks - max(get(cells, 1), now_ticks) - (cost - limit.capacity) * limit.unit
      return floor(left / (cost * limit.unit)) + 1
    end,

    wait = function(limit, cells, now, cost)
      if cost > limit.capacity then return NEVER end
      return until_us(limit, get(cells, 1) + (cost - limit.capacity) * limit.unit, now)
    end,

    used = function(limit, cells, now)
      return ceil(max(0, get(cells, 1) - ticks_at(limit, now)) / limit.unit)
    end,

    reset = function(limit, cells, now)
      return until_us(limit, get(cells, 1), now)
    end,

    adopt_from = function(limit, cells, now, from, theirs)
      local used = max(0, get(theirs, 1) - ticks_at(from, now))
      local rest = used % from.unit
      local part = 0
      if rest > 0 then part = min(floor(rest / from.unit * limit.unit) + 2, limit.unit) end
      local ticks = (used - rest) / from.unit * limit.unit + part
      -- A full bucket was full at all times, as a new one.
      put(cells, 1, ticks > 0 and ticks_at(limit, now) + min(ticks, limit.most_debt) or LONG_AGO)
    end,
  }
end

local function token_bucket_kind(name)
  if name == 'b' then return { kernel = token_buckets(), numbers = { 'capacity', 'per' }, cells = 1 } end
  if name == 'r' then return { kernel = token_buckets(), numbers = { 'capacity', 'per', 'refill' }, cells = 1 } end
  if name == 'e' then
    local numbers = { 'capacity', 'per', 'refill', 'idle' }
    return { kernel = token_buckets(), numbers = numbers, cells = 1, starts_empty = true }
  end
end
