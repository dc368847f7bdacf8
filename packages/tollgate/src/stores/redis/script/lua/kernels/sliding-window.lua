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

  -- The first group from `from` on whose value reaches the least one, otherwise `to`. `of` gives the time or the total
  -- of a group, which never decrease.
  local function first_with(limit, cells, from, to, of, least)
    while from < to do
      local middle = floor((from + to) / 2)
      if of(limit, cells, middle) >= least then
        to = middle
      else
        from = middle + 1
      end
    end
    return from
  end

  local function total_left(limit, cells, now)
    local groups = get(cells, 1)
    local first = first_with(limit, cells, first_of(limit, groups), groups, last_at, now - limit.window + 1)
    return first == 0 and 0 or total_at(limit, cells, first - 1)
  end

  local function used_at(limit, cells, now)
    local groups = get(cells, 1)
    if groups == 0 then return 0 end
    return total_at(limit, cells, groups - 1) - total_left(limit, cells, now)
  end

  local function conforms_at(limit, cells, now, cost)
    return used_at(limit, cells, now) + cost <= limit.capacity
  end

  -- The first group whose running total reaches the total.
  local function first_reaching(limit, cells, total)
    local groups = get(cells, 1)
    return first_with(limit, cells, max(0, groups - limit.places), groups - 1, total_at, total)
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

  local function own_of(limit, cells, group)
    return total_at(limit, cells, group) - (group > 0 and total_at(limit, cells, group - 1) or 0)
  end

  -- The group of units that came at a moment: the first that leaves no sooner. Nil if their own group is gone.
  local function group_of(limit, cells, came)
    local groups = get(cells, 1)
    local group = first_with(limit, cells, first_of(limit, groups), groups, last_at, came)
    if group == groups then return nil end
    local is_extended = group == groups - 1 and get(cells, 2) <= came
    if last_at(limit, cells, group) - came >= limit.resolution and not is_extended then return nil end
    return group
  end

  -- Removes groups that have no units left, the last of which is given.
  local function drop_groups(limit, cells, gone, last_gone)
    local groups, to = get(cells, 1), last_gone
    local first = first_of(limit, groups)
    if groups < limit.places then
      to = nil
      for group = 0, groups - 1 do
        if gone[group] then
          to = to or group
        elseif to then
          write(limit, cells, to, last_at(limit, cells, group), total_at(limit, cells, group))
          to = to + 1
        end
      end
      put(cells, 1, to)
      return
    end
    -- The ring has wrapped: freed places become its oldest part, which only holds a total to subtract.
    local before = total_at(limit, cells, first - 1)
    for group = last_gone, first, -1 do
      if not gone[group] then
        write(limit, cells, to, last_at(limit, cells, group), total_at(limit, cells, group))
        to = to - 1
      end
    end
    for freed = to, first, -1 do write(limit, cells, freed, LONG_AGO, before) end
  end

  -- Removes units by groups, from the first of them on. A group without units goes, unless it is the newest, which
  -- keeps its opening time.
  local function remove_from(limit, cells, units, first)
    local newest, sum, gone, last_gone = get(cells, 1) - 1, 0, {}, nil
    for group = first, newest do
      if units[group] and group < newest and units[group] == own_of(limit, cells, group) - sum then
        gone[group], last_gone = true, group
      end
      sum = sum + (units[group] or 0)
      put(cells, 4 + 2 * (group % limit.places), total_at(limit, cells, group) - sum)
    end
    if last_gone then drop_groups(limit, cells, gone, last_gone) end
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

    -- Gives back units of several takes in one pass over the ring.
    correct_all = function(limit, cells, now, takes)
      local units, first, sum = {}, nil, 0
      for _, take in ipairs(takes) do
        local group = now < take.moment and get(cells, 1) > 0 and group_of(limit, cells, take.moment - limit.window)
        if group then
          local before = units[group] or 0
          local given = min(take.units, own_of(limit, cells, group) - before)
          if given > 0 then
            units[group], sum, first = before + given, sum + given, min(first or group, group)
          end
        end
      end
      if sum == 0 then return end
      if sum == used_at(limit, cells, now) then
        put(cells, 1, 0)
      else
        remove_from(limit, cells, units, first)
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
