-- The kernel of `algorithms/fixed-window.ts` in Lua. Cells: when the window ends, and the units used in it.

local function fixed_windows()
  local function used_at(_, cells, now)
    if get(cells, 1) <= now then return 0 end
    return get(cells, 2)
  end

  local function conforms_at(limit, cells, now, cost)
    return used_at(limit, cells, now) + cost <= limit.capacity
  end

  local function reset_at(limit, cells, now)
    if used_at(limit, cells, now) == 0 then return 0 end
    return get(cells, 1) - now
  end

  -- The first start of a window after a moment.
  local function end_at(limit, now)
    for _, start in ipairs(limit.starts or {}) do
      if start > now then return start end
    end
    return limit.by_clock and (floor(now / limit.window) + 1) * limit.window or now + limit.window
  end

  -- When the window of the cells opened. Where the calendar does not have it, it might have at any time before its end.
  local function opening_of(limit, cells)
    local ends = get(cells, 1)
    if limit.window then return ends - limit.window end
    local starts = limit.starts or {}
    for i = 2, #starts do
      if starts[i] == ends then return starts[i - 1] end
    end
    return ends
  end

  local function give_back(limit, cells, now, cost)
    local used = used_at(limit, cells, now)
    if used > 0 then put(cells, 2, max(used - cost, 0)) end
  end

  return {
    read = function() end,

    -- Missing cells are zeros.
    init = function() end,

    conforms = conforms_at,

    take = function(limit, cells, now, cost)
      local used = used_at(limit, cells, now)
      if used == 0 then put(cells, 1, end_at(limit, now)) end
      put(cells, 2, min(used + cost, LAST_EXACT))
    end,

    give_back = give_back,

    correct = function(limit, cells, now, units, moment)
      if get(cells, 1) == moment then give_back(limit, cells, now, units) end
    end,

    -- Leases are units that may still be spent: at least these count as used. They end with the window.
    lift = function(limit, cells, now, units)
      local used = used_at(limit, cells, now)
      if used >= units then return end
      if used == 0 then put(cells, 1, end_at(limit, now)) end
      put(cells, 2, units)
    end,

    window_end = function(_, cells)
      return get(cells, 1)
    end,

    -- Units of a lease that ended after this window opened are units of this window.
    take_back = function(limit, cells, now, units, ends)
      local used = used_at(limit, cells, now)
      if used > 0 and opening_of(limit, cells) < ends then put(cells, 2, max(used - units, 0)) end
    end,

    wait = function(limit, cells, now, cost)
      if cost > limit.capacity then return NEVER end
      if conforms_at(limit, cells, now, cost) then return 0 end
      return reset_at(limit, cells, now)
    end,

    used = used_at,

    reset = reset_at,

    adopt_from = function(_, cells, _, _, theirs)
      put(cells, 1, get(theirs, 1))
      put(cells, 2, get(theirs, 2))
    end,
  }
end

local function fixed_window_kind(name)
  if name == 'f' then return { kernel = fixed_windows(), numbers = { 'capacity', 'window' }, cells = 2 } end
  if name == 'c' then
    return { kernel = fixed_windows(), numbers = { 'capacity', 'window' }, cells = 2, by_clock = true }
  end
  if name == 'd' then return { kernel = fixed_windows(), numbers = { 'capacity' }, cells = 2, by_calendar = true } end
end
