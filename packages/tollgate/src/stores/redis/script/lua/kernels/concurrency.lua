-- The kernel of `algorithms/concurrency.ts` in Lua. Cells: groups of places, the moment of each and their number.

local function concurrencies()
  -- A key has no more groups of places. Places of a larger limit expire in steps of a part of `ttl`.
  local MOST_GROUPS, STEPS = 64, 62

  local function until_at(_, cells, group)
    return get(cells, 2 * group + 1)
  end

  local function count_at(limit, cells, group)
    if group >= limit.groups then return 0 end
    return get(cells, 2 * group + 2)
  end

  local function groups_in(limit, cells)
    local groups = 0
    while count_at(limit, cells, groups) > 0 do groups = groups + 1 end
    return groups
  end

  -- The first group whose places expire at a moment or later; otherwise the number of groups.
  local function first_from(limit, cells, moment)
    local group = 0
    while count_at(limit, cells, group) > 0 and until_at(limit, cells, group) < moment do group = group + 1 end
    return group
  end

  local function remove(limit, cells, first, count)
    local groups = groups_in(limit, cells)
    for i = 2 * first, 2 * groups - 1 do
      local from = i + 2 * count
      put(cells, 1 + i, from < 2 * groups and get(cells, 1 + from) or 0)
    end
  end

  local function add(limit, cells, moment, count)
    local groups = groups_in(limit, cells)
    local group = first_from(limit, cells, moment)
    local full = groups == limit.groups
    if group == groups and full then
      group = group - 1
      put(cells, 2 * group + 1, moment)
    elseif group == groups or (not full and until_at(limit, cells, group) > moment) then
      for i = 2 * groups - 1, 2 * group, -1 do put(cells, 1 + i + 2, get(cells, 1 + i)) end
      put(cells, 2 * group + 1, moment)
      put(cells, 2 * group + 2, 0)
    end
    put(cells, 2 * group + 2, min(count_at(limit, cells, group) + count, LAST_EXACT))
  end

  local function used_at(limit, cells, now)
    local used = 0
    for group = 0, groups_in(limit, cells) - 1 do
      if until_at(limit, cells, group) > now then used = used + count_at(limit, cells, group) end
    end
    return used
  end

  -- When places free themselves that are taken now, unless a later group has to take them in.
  local function places_until(limit, now)
    return ceil((now + limit.ttl) / limit.step) * limit.step
  end

  local function conforms_at(limit, cells, now, cost)
    return used_at(limit, cells, now) + cost <= limit.capacity
  end

  -- Takes places that free themselves as those of another limit that are taken now.
  local function take_as(limit, cells, now, cost, other)
    local expired = 0
    while count_at(limit, cells, expired) > 0 and until_at(limit, cells, expired) <= now do expired = expired + 1 end
    if expired > 0 then remove(limit, cells, 0, expired) end
    add(limit, cells, places_until(other, now), cost)
  end

  -- Frees places that would free themselves at a moment. Returns how many were not there.
  local function free(limit, cells, moment, cost)
    local group = first_from(limit, cells, moment)
    while cost > 0 and count_at(limit, cells, group) > 0 do
      local freed = min(cost, count_at(limit, cells, group))
      local left = count_at(limit, cells, group) - freed
      cost = cost - freed
      if left == 0 then
        remove(limit, cells, group, 1)
      else
        put(cells, 2 * group + 2, left)
        group = group + 1
      end
    end
    return cost
  end

  -- Frees places that free themselves at exactly this moment. Returns whether there were so many.
  local function free_until(limit, cells, now, count, moment, at_least)
    local group = first_from(limit, cells, moment)
    local own = count_at(limit, cells, group)
    if moment <= now or own < at_least or until_at(limit, cells, group) ~= moment then return false end
    if own > count then
      put(cells, 2 * group + 2, own - count)
    else
      remove(limit, cells, group, 1)
    end
    return true
  end

  return {
    read = function(limit)
      limit.step = limit.capacity <= MOST_GROUPS and 1 or ceil(limit.ttl / STEPS)
      limit.groups = min(limit.capacity, MOST_GROUPS)
    end,

    -- Missing cells are zeros.
    init = function() end,

    conforms = conforms_at,

    take = function(limit, cells, now, cost)
      take_as(limit, cells, now, cost, limit)
    end,

    give_back = function(limit, cells, now, cost)
      free(limit, cells, now + limit.ttl, cost)
    end,

    correct = function(limit, cells, now, units, moment)
      free_until(limit, cells, now, units, moment, 1)
    end,

    -- `own` is the limit under which the places were taken.
    extend = function(limit, cells, now, count, moment, own)
      if not free_until(limit, cells, now, count, moment, count) then return false end
      take_as(limit, cells, now, count, own)
      return true
    end,

    -- When places free themselves that were just taken; 0 if none were.
    taken_until = function(limit, cells, now)
      local group = first_from(limit, cells, places_until(limit, now))
      return count_at(limit, cells, group) > 0 and until_at(limit, cells, group) or 0
    end,

    give_back_since = function(limit, cells, now, cost, taken)
      if taken + limit.ttl > now then free(limit, cells, taken + limit.ttl, cost) end
    end,

    wait = function(limit, cells, now, cost)
      if cost > limit.capacity then return NEVER end
      local used, wait = used_at(limit, cells, now), 0
      local group = first_from(limit, cells, now)
      while used + cost > limit.capacity do
        if until_at(limit, cells, group) > now then
          used = used - count_at(limit, cells, group)
          wait = until_at(limit, cells, group) - now
        end
        group = group + 1
      end
      return wait
    end,

    used = used_at,

    reset = function(limit, cells, now)
      local groups = groups_in(limit, cells)
      if groups == 0 then return 0 end
      return max(0, until_at(limit, cells, groups - 1) - now)
    end,

    adopt_from = function(limit, cells, now, from, theirs)
      for group = 0, groups_in(from, theirs) - 1 do
        local moment = until_at(from, theirs, group)
        if moment > now then add(limit, cells, moment, count_at(from, theirs, group)) end
      end
    end,
  }
end

local function concurrency_kind(name)
  if name == 'p' then return { kernel = concurrencies(), numbers = { 'capacity', 'ttl' } } end
end
