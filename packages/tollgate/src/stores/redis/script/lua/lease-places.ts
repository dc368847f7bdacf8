/**
 * Places that nodes took in advance, for `leases.ts`. A lease of places ends when the last call that a node admits with
 * it is over at the latest: the `ttl` of the limit after the node's last moment. Until then its places are taken, as
 * those of other calls are. Its identity is its number alone, because a node may extend it. Its places may only become
 * fewer, so reports may come twice, late or in another order.
 */
export const LEASE_PLACES = `
  local function has_places(plan)
    for i = 1, plan.count do
      if plan[i].kernel.lend then return true end
    end
    return false
  end

  local function place_of_number(lease, number)
    local text, at = struct.pack('<d', number), 0
    repeat
      at = string.find(lease.records, text, at + 1, true)
    until not at or (at - 9) % RECORD == 0
    return at and (at - 9) / RECORD + 1
  end

  local function insert(lease, ends, number, units)
    local place = place_of(lease, ends)
    lease.sum = lease.sum + units
    replace_records(lease, place, place - 1, struct.pack('<ddd', ends, number, units))
  end

  -- Removes a lease. A request that came twice may have made two records of it. Returns its places and its end.
  local function remove_places(limit, lease, cells, number)
    local known, ends, place = 0, 0, place_of_number(lease, number)
    while place do
      local its_ends, _, units = record_at(lease, place)
      limit.kernel.take_back(limit, cells, its_ends + skew, units)
      lease.sum = lease.sum - units
      replace_records(lease, place, place, '')
      known, ends = max(known, units), max(ends, its_ends)
      place = place_of_number(lease, number)
    end
    return known, ends
  end

  -- How many places a node has left of a lease. Returns whether the script knows them all.
  local function report_places(limit, lease, cells, now, its, left, ttl)
    local known, ends = remove_places(limit, lease, cells, its.number)
    local kept = min(left, known)
    if its.extends then ends = max(ends, now + ttl + limit.ttl) end
    if kept > 0 then
      limit.kernel.lend(limit, cells, now, kept, ends + skew)
      insert(lease, ends, its.number, kept)
    end
    return kept == left
  end

  -- Returns for each report whether the script knows the places: 1 or 0.
  local function settle_places(plan, found, cells, now, ask)
    local answers = {}
    for j, its in ipairs(ask.places) do
      answers[j] = 1
      for i = 1, plan.count do
        local is_known = not plan[i].kernel.lend
          or report_places(plan[i], found[i], cells, now, its, its.units[i], ask.ttl)
        if not is_known then answers[j] = 0 end
      end
    end
    return answers
  end
`;
