-- The kernel of `algorithms/concurrency.ts` in Lua. Cells: groups of places, the moment of each and their number.

local function concurrencies()
  -- Places of a larger limit than FEW expire in steps of a part of `ttl`.
  local FEW, STEPS = 64, 62
  -- A key has no more groups of places. Rows grow as they need, so that a smaller limit moves no place to another
  -- moment: a failover may lose writes, so holders should find the places of their own moment alone.
  local MOST_GROUPS = 128

  local function until_at(cells, group)
    return get(cells, 2 * group + 1)
  end

  -- A group that took in places of other moments has a negative count.
  local function count_at(cells, group)
    return math.abs(get(cells, 2 * group + 2))
  end

  local function groups_in(cells)
    local groups = 0
    while count_at(cells, groups) > 0 do groups = groups + 1 end
    return groups
  end

  -- The first group whose places expire at a moment or later; otherwise the number of groups.
  local function first_from(cells, moment)
    local group = 0
    while count_at(cells, group) > 0 and until_at(cells, group) < moment do group = group + 1 end
    return group
  end

  local function remove(cells, first, count)
    local groups = groups_in(cells)
    for i = 2 * first, 2 * groups - 1 do
      local from = i + 2 * count
      put(cells, 1 + i, from < 2 * groups and get(cells, 1 + from) or 0)
    end
  end

  local function add(limit, cells, moment, count)
    local groups = groups_in(cells)
    local group = first_from(cells, moment)
    local full = groups == limit.groups or groups >= MOST_GROUPS
    if group == groups and full then group = group - 1 end
    local own = group < groups and until_at(cells, group) == moment
    if not (own or full) then
      for i = 2 * groups - 1, 2 * group, -1 do put(cells, 1 + i + 2, get(cells, 1 + i)) end
      put(cells, 2 * group + 2, 0)
    end
    if not full or until_at(cells, group) < moment then put(cells, 2 * group + 1, moment) end
    local takes_in = get(cells, 2 * group + 2) < 0 or full and not own
    local sum = min(count_at(cells, group) + count, LAST_EXACT)
    put(cells, 2 * group + 2, takes_in and -sum or sum)
  end

  local function used_at(_, cells, now)
    local used = 0
    for group = 0, groups_in(cells) - 1 do
      if until_at(cells, group) > now then used = used + count_at(cells, group) end
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
    while count_at(cells, expired) > 0 and until_at(cells, expired) <= now do expired = expired + 1 end
    if expired > 0 then remove(cells, 0, expired) end
    add(limit, cells, places_until(other, now), cost)
  end

  -- Whether a holder of places of a moment may have those of a group that is not sooner.
  local function may_have(cells, group, moment)
    return until_at(cells, group) == moment or get(cells, 2 * group + 2) < 0
  end

  -- Frees up to so many places, from a moment on: those that a holder of the moment may have, or any.
  local function free(cells, moment, cost, any)
    local group = first_from(cells, moment)
    while cost > 0 and count_at(cells, group) > 0 do
      local own, sign = count_at(cells, group), get(cells, 2 * group + 2) < 0 and -1 or 1
      local freed = (any or may_have(cells, group, moment)) and min(cost, own) or 0
      cost = cost - freed
      if own == freed then
        remove(cells, group, 1)
      else
        put(cells, 2 * group + 2, sign * (own - freed))
        group = group + 1
      end
    end
  end

  -- How many places a holder of a moment may have.
  local function count_until(cells, moment)
    local count = 0
    for group = first_from(cells, moment), groups_in(cells) - 1 do
      if may_have(cells, group, moment) then count = count + count_at(cells, group) end
    end
    return count
  end

  return {
    read = function(limit)
      local few = limit.capacity <= FEW
      limit.step, limit.groups = few and 1 or ceil(limit.ttl / STEPS), few and limit.capacity or MOST_GROUPS
    end,

    -- Missing cells are zeros.
    init = function() end,

    conforms = conforms_at,

    take = function(limit, cells, now, cost)
      take_as(limit, cells, now, cost, limit)
    end,

    give_back = function(limit, cells, now, cost)
      free(cells, now + limit.ttl, cost, true)
    end,

    correct = function(_, cells, now, units, moment)
      if moment > now then free(cells, moment, units) end
    end,

    -- `own` is the limit under which the places were taken.
    extend = function(limit, cells, now, count, moment, own)
      if moment <= now or count_until(cells, moment) < count then return false end
      free(cells, moment, count)
      take_as(limit, cells, now, count, own)
      return true
    end,

    -- When places free themselves that were just taken; 0 if none were.
    taken_until = function(limit, cells, now)
      local group = first_from(cells, places_until(limit, now))
      return count_at(cells, group) > 0 and until_at(cells, group) or 0
    end,

    give_back_since = function(limit, cells, now, cost, taken)
      if taken + limit.ttl > now then free(cells, taken + limit.ttl, cost, true) end
    end,

    wait = function(limit, cells, now, cost)
      if cost > limit.capacity then return NEVER end
      local used, wait = used_at(limit, cells, now), 0
      local group = first_from(cells, now)
      while used + cost > limit.capacity do
        if until_at(cells, group) > now then
          used = used - count_at(cells, group)
          wait = until_at(cells, group) - now
        end
        group = group + 1
      end
      return wait
    end,

    used = used_at,

    reset = function(_, cells, now)
      local groups = groups_in(cells)
      if groups == 0 then return 0 end
      return max(0, until_at(cells, groups - 1) - now)
    end,

    adopt_from = function(_, cells, now, _, theirs)
      local next_cell = 1
      for group = 0, groups_in(theirs) - 1 do
        if until_at(theirs, group) > now then
          put(cells, next_cell, until_at(theirs, group))
          put(cells, next_cell + 1, get(theirs, 2 * group + 2))
          next_cell = next_cell + 2
        end
      end
    end,
  }
end

local function concurrency_kind(name)
  if name == 'p' then return { kernel = concurrencies(), numbers = { 'capacity', 'ttl' } } end
end
