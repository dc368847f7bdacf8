-- The kernel of `algorithms/sliding-window.ts` in Lua. Cells: how many groups were ever opened, when the newest was,
-- then the ring: for each group the time of its last unit, and the running total.

local function sliding_windows()
  local function last_at(limit, cells, group)
    return get(cells, 3 + 2 * (group % limit.places))
  end

  local function total_at(limit, cells, group)
    return get(cells, 4 + 2 * (group % limit.places))
  end

  local function write(limit, cells, group, last, total)
    local place = 3 + 2 * (group % limit.places)
    put(cells, place, last)
    put(cells, place + 1, total)
  end

  -- Only a group that is not the first can be empty.
  local function is_empty(limit, cells, group)
    return group > 0 and total_at(limit, cells, group) == total_at(limit, cells, group - 1)
  end

  -- The first group that may count. Once the ring is full, its oldest group has left for good.
  local function first_of(limit, groups)
    return groups >= limit.places and groups - limit.places + 1 or 0
  end

  local function total_left(limit, cells, now)
    local groups = get(cells, 1)
    local from = first_of(limit, groups)
    local to = groups
    while from < to do
      local middle = floor((from + to) / 2)
      if last_at(limit, cells, middle) + limit.window <= now then
        from = middle + 1
      else
        to = middle
      end
    end
    if from == 0 then return 0 end
    return total_at(limit, cells, from - 1)
  end

  local function used_at(limit, cells, now)
    local groups = get(cells, 1)
    if groups == 0 then return 0 end
    return total_at(limit, cells, groups - 1) - total_left(limit, cells, now)
  end

  local function conforms_at(limit, cells, now, cost)
    return used_at(limit, cells, now) + cost <= limit.capacity
  end

  -- The first group whose running total reaches the total. Running totals never decrease.
  local function first_reaching(limit, cells, total)
    local groups = get(cells, 1)
    local from = max(0, groups - limit.places)
    local to = groups - 1
    while from < to do
      local middle = floor((from + to) / 2)
      if total_at(limit, cells, middle) >= total then
        to = middle
      else
        from = middle + 1
      end
    end
    return from
  end

  -- The time until all groups up to the first whose running total reaches the total have left.
  local function until_left(limit, cells, now, total)
    return max(0, last_at(limit, cells, first_reaching(limit, cells, total)) + limit.window - now)
  end

  local function has_place(limit, cells, now)
    local groups = get(cells, 1)
    if groups < limit.places - 1 then return true end
    return last_at(limit, cells, groups - limit.places + 1) + limit.window <= now
  end

  local function drop_after(limit, cells, newest)
    local groups = get(cells, 1)
    if newest == groups - 1 then return end
    if groups < limit.places then
      put(cells, 1, newest + 1)
      return
    end
    -- The ring has wrapped: freed places become its oldest part, which only holds a total to subtract.
    local total = total_at(limit, cells, groups - limit.places)
    put(cells, 1, newest + 1 + limit.places)
    for group = newest + 1, groups do write(limit, cells, group, LONG_AGO, total) end
  end

  -- Removes units of a group. A group without units goes, unless it is the newest, which keeps its opening time.
  local function remove_from(limit, cells, group, units, own)
    local groups = get(cells, 1)
    for later = group, groups - 1 do
      put(cells, 4 + 2 * (later % limit.places), total_at(limit, cells, later) - units)
    end
    if group == groups - 1 or units < own then return end
    if groups < limit.places then
      for to = group, groups - 2 do
        write(limit, cells, to, last_at(limit, cells, to + 1), total_at(limit, cells, to + 1))
      end
      put(cells, 1, groups - 1)
      return
    end
    -- The ring has wrapped: the freed place becomes its oldest part, which only holds a total to subtract.
    local first = first_of(limit, groups)
    for to = group, first + 1, -1 do
      write(limit, cells, to, last_at(limit, cells, to - 1), total_at(limit, cells, to - 1))
    end
    write(limit, cells, first, LONG_AGO, total_at(limit, cells, first - 1))
  end

  -- At least one group was opened.
  local function have_all_left(limit, cells, now)
    local filled = get(cells, 1) - 1
    if is_empty(limit, cells, filled) then filled = filled - 1 end
    return last_at(limit, cells, filled) + limit.window <= now
  end

  local function reset_if_idle(limit, cells, now)
    if get(cells, 1) > 0 and have_all_left(limit, cells, now) then put(cells, 1, 0) end
  end

  local function keep_totals_exact(limit, cells, now, cost)
    local groups = get(cells, 1)
    if groups == 0 or total_at(limit, cells, groups - 1) + cost <= LAST_EXACT then return end
    local left = total_left(limit, cells, now)
    if left == 0 then return end
    for group = max(0, groups - limit.places), groups - 1 do
      local place = 4 + 2 * (group % limit.places)
      put(cells, place, max(0, get(cells, place) - left))
    end
  end

  local function take_at(limit, cells, now, cost)
    reset_if_idle(limit, cells, now)
    keep_totals_exact(limit, cells, now, cost)
    local groups = get(cells, 1)
    local newest = groups - 1
    local before = 0
    local comes = now
    if groups > 0 then
      before = total_at(limit, cells, newest)
      comes = max(now, last_at(limit, cells, newest))
    end
    local joins = groups > 0 and comes - get(cells, 2) < limit.resolution
    local empty = is_empty(limit, cells, newest)
    local opens = not joins and (empty or has_place(limit, cells, now))
    local group = newest
    if opens and not empty then group = groups end
    write(limit, cells, group, comes, min(before + cost, LAST_EXACT))
    if not opens then return end
    put(cells, 1, group + 1)
    put(cells, 2, comes)
  end

  -- Copies the groups that count, if there are places for them. Returns whether there are.
  local function adopt_ring(limit, cells, now, from, theirs)
    local groups = get(theirs, 1)
    if groups == 0 or have_all_left(from, theirs, now) then return true end
    local left = total_left(from, theirs, now)
    local first = max(0, groups - from.places)
    if left ~= 0 then first = first_reaching(from, theirs, left + 1) end
    if groups - first >= limit.places then return false end
    for group = first, groups - 1 do
      write(limit, cells, group - first, last_at(from, theirs, group), total_at(from, theirs, group) - left)
    end
    put(cells, 1, groups - first)
    put(cells, 2, get(theirs, 2))
    return true
  end

  -- Takes the units of each group that counts, at the time of its last unit.
  local function take_groups(limit, cells, now, from, theirs)
    local groups = get(theirs, 1)
    local before = 0
    if groups > 0 then before = total_left(from, theirs, now) end
    for group = max(0, groups - from.places), groups - 1 do
      local total = total_at(from, theirs, group)
      if total > before then
        take_at(limit, cells, last_at(from, theirs, group), total - before)
        before = total
      end
    end
  end

  return {
    read = function(limit)
      -- Time comes in whole microseconds: units of the same one leave together anyway.
      limit.resolution = max(limit.resolution, 1)
      limit.places = min(limit.capacity, ceil(limit.window / limit.resolution)) + 2
    end,

    -- Missing cells are zeros.
    init = function() end,

    conforms = conforms_at,

    take = take_at,

    give_back = function(limit, cells, now, cost)
      local used = used_at(limit, cells, now)
      if cost >= used then
        if used > 0 then put(cells, 1, 0) end
        return
      end
      local newest = get(cells, 1) - 1
      local last = last_at(limit, cells, newest)
      local total = total_at(limit, cells, newest) - cost
      local filled = first_reaching(limit, cells, total)
      put(cells, 4 + 2 * (filled % limit.places), total)
      if filled == newest then return end
      write(limit, cells, filled + 1, last, total)
      drop_after(limit, cells, filled + 1)
    end,

    -- Units that came at a moment are in the first group that leaves no sooner.
    correct = function(limit, cells, now, units, moment)
      local groups = get(cells, 1)
      if now >= moment or groups == 0 then return end
      local came = moment - limit.window
      local group, to = first_of(limit, groups), groups
      while group < to do
        local middle = floor((group + to) / 2)
        if last_at(limit, cells, middle) >= came then
          to = middle
        else
          group = middle + 1
        end
      end
      if group == groups then return end
      -- Otherwise their own group is gone.
      local is_extended = group == groups - 1 and get(cells, 2) <= came
      if last_at(limit, cells, group) - came >= limit.resolution and not is_extended then return end
      local own = total_at(limit, cells, group) - (group > 0 and total_at(limit, cells, group - 1) or 0)
      local given = min(units, own)
      if given == 0 then return end
      if given == used_at(limit, cells, now) then
        put(cells, 1, 0)
      else
        remove_from(limit, cells, group, given, own)
      end
    end,

    wait = function(limit, cells, now, cost)
      if cost > limit.capacity then return NEVER end
      if conforms_at(limit, cells, now, cost) then return 0 end
      local newest = total_at(limit, cells, get(cells, 1) - 1)
      return until_left(limit, cells, now, newest - (limit.capacity - cost))
    end,

    used = used_at,

    reset = function(limit, cells, now)
      if used_at(limit, cells, now) == 0 then return 0 end
      return until_left(limit, cells, now, total_at(limit, cells, get(cells, 1) - 1))
    end,

    adopt_from = function(limit, cells, now, from, theirs)
      if from.resolution == limit.resolution and adopt_ring(limit, cells, now, from, theirs) then return end
      take_groups(limit, cells, now, from, theirs)
    end,
  }
end

local function sliding_window_kind(name)
  if name == 's' then return { kernel = sliding_windows(), numbers = { 'capacity', 'window', 'resolution' } } end
end
