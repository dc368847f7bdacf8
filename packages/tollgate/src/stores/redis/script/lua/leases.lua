-- Units that nodes took in advance and may still spend. A limit's leases are a section of the row, under the limit's
-- name: the sum of the units, and a record for each lease, in the order of their ends. A record has the end and the
-- number of the lease, which are its identity, and the units that may still be spent.
--
-- At each moment a bucket's tokens and the units that may be spent have to fit into its capacity together. Then no more
-- is admitted in any window of time than the capacity and what refills meanwhile, whenever the leases are spent. So a
-- bucket is lifted before each verb: at least the sum counts as used. A lease that ended counts as spent at its end.

local function make_leases()
  local RECORD = 24
  -- The latest records by which nodes are counted.
  local COUNTED = 256

  local function count_of(lease)
    return #lease.records / RECORD
  end

  local function record_at(lease, i)
    return struct.unpack('<ddd', lease.records, RECORD * i - RECORD + 1)
  end

  local function replace_records(lease, from, to, text)
    local records = lease.records
    lease.records = string.sub(records, 1, RECORD * from - RECORD) .. text .. string.sub(records, RECORD * to + 1)
  end

  -- Lifts a bucket for the leases that end until a moment, one after another, and for the others at the moment. A
  -- window needs the latter only: its leases end with it. Returns how many have ended, and the units of the others.
  local function lift(limit, lease, cells, moment)
    local kernel, sum, ended = limit.kernel, lease.sum, 0
    while ended < count_of(lease) do
      local ends, _, units = record_at(lease, ended + 1)
      if ends > moment then break end
      if kernel.refills and units > 0 then kernel.lift(limit, cells, ends, sum) end
      sum, ended = sum - units, ended + 1
    end
    if sum > 0 and kernel.lift then kernel.lift(limit, cells, moment, sum) end
    return ended, sum
  end

  -- Lifts, and drops what has ended. The cells have to be written.
  local function settle(limit, lease, cells, moment)
    local ended, sum = lift(limit, lease, cells, moment)
    lease.sum = sum
    if ended > 0 then replace_records(lease, 1, ended, '') end
  end

  -- The units that a node has left of a lease. More than was known changes nothing, and so does an unknown lease. A
  -- lease without units stays: it shows that its holder is there.
  local function report(limit, lease, cells, identity, is_returned, left)
    -- A match across records would be no record; it is as unlikely as a collision, and changes nothing.
    local found = string.find(lease.records, identity, 1, true)
    if not found or found % RECORD ~= 1 then return end
    local i = (found - 1) / RECORD + 1
    local ends, number, known = record_at(lease, i)
    left = min(left, known)
    lease.sum = lease.sum - known + left
    -- Strict calls may have lifted the bucket for its end already, so what comes later counts as spent.
    if is_returned and ends > now_us and limit.kernel.take_back then
      if left > 0 then limit.kernel.take_back(limit, cells, now_us, left, ends) end
      lease.sum, left = lease.sum - left, 0
    end
    replace_records(lease, i, i, struct.pack('<ddd', ends, number, left))
  end

  -- Nearly always the new lease ends last.
  local function insert(lease, ends, number, units)
    local i, record = count_of(lease) + 1, struct.pack('<ddd', ends, number, units)
    while i > 1 and record_at(lease, i - 1) >= ends do i = i - 1 end
    lease.sum = lease.sum + units
    replace_records(lease, i, i - 1, record)
  end

  local function nodes_of(lease, number)
    local own, count, nodes, seen = floor(number / LEASES_OF_HOLDER), count_of(lease), 1, {}
    for i = max(count - COUNTED + 1, 1), count do
      local holder = floor(struct.unpack('<d', lease.records, RECORD * i - 15) / LEASES_OF_HOLDER)
      if holder ~= own and not seen[holder] then
        seen[holder] = true
        nodes = nodes + 1
      end
    end
    return max(nodes, floor(nodes * count / COUNTED))
  end

  local function left_in(limit, cells)
    local kernel = limit.kernel
    if kernel.fitting then return max(kernel.fitting(limit, cells, now_us, 1), 0) end
    return max(limit.capacity - kernel.used(limit, cells, now_us), 0)
  end

  -- The units to grant: what is wanted, or half of what is left, if other nodes need it too. All limits in proportion.
  -- Nothing, if a call was denied. Then whether there are any, and whether few are left.
  local function units_for(plan, counts, wanted, nodes, denied)
    local part, left, most, granted, is_scarce = denied and 0 or 1, {}, {}, {}, false
    for i = 1, plan.count do
      if wanted[i] > 0 then
        left[i] = left_in(plan[i], counts[i])
        most[i] = min(left[i], wanted[i])
        if nodes > 1 and left[i] - wanted[i] < plan[i].capacity / 2 then most[i] = min(ceil(left[i] / 2), wanted[i]) end
        part = min(part, most[i] / wanted[i])
      end
    end
    for i = 1, plan.count do
      -- The quotient may be rounded down.
      granted[i] = wanted[i] > 0 and min(floor(wanted[i] * part * (1 + 2 ^ -50)), most[i]) or 0
      if wanted[i] > 0 and granted[i] == 0 then part = 0 end
    end
    for i = 1, plan.count do
      if part == 0 then granted[i] = 0 end
      if wanted[i] > 0 and left[i] - granted[i] < plan[i].capacity / 20 then is_scarce = true end
    end
    return granted, part > 0, is_scarce
  end

  local function leases_of(state, plan)
    state.leases = state.leases or {}
    local found = {}
    for i = 1, plan.count do
      local id = plan[i].id
      state.leases[id] = state.leases[id] or { sum = 0, records = '', used_until = 0 }
      found[i] = state.leases[id]
    end
    return found
  end

  -- Takes the units of a new lease, and notes it. Without units it only shows that the node is there. Returns its end:
  -- not after those of the windows.
  local function grant(plan, found, counts, ttl, number, granted)
    local ends = now_us + ttl
    for i = 1, plan.count do
      local limit = plan[i]
      if granted[i] > 0 then
        limit.kernel.take(limit, counts[i], now_us, granted[i])
        if limit.kernel.window_end then ends = min(ends, limit.kernel.window_end(limit, counts[i])) end
      end
    end
    for i = 1, plan.count do insert(found[i], ends, number, granted[i]) end
    return ends
  end

  -- Leases matter until they end, and until a bucket that is lifted for them then is full again.
  local function note_use(limit, lease)
    local count, refilled_at = count_of(lease), limit.kernel.refilled_at
    local last = count > 0 and record_at(lease, count) or 0
    lease.used_until = last
    if refilled_at and lease.sum > 0 then lease.used_until = max(last, refilled_at(limit, last, lease.sum)) end
  end

  return {
    lift = function(state, counts, changes)
      for i = 1, counts.plan.count do
        local limit, cells = counts.plan[i], counts[i]
        local lease = state.leases[limit.id]
        if lease then
          lift(limit, lease, cells, now_us)
          cells.is_lifted = changes
        end
      end
    end,

    -- Drops what has ended before cells are written that were lifted for it. A refund would be undone otherwise.
    drop_ended = function(state)
      for id, lease in pairs(state.leases) do
        local entry = state.entries[id]
        if entry and entry.cells.is_lifted then
          local ended = 0
          while ended < count_of(lease) do
            local ends, _, units = record_at(lease, ended + 1)
            if ends > now_us then break end
            lease.sum, ended = lease.sum - units, ended + 1
          end
          if ended > 0 then
            replace_records(lease, 1, ended, '')
            note_use(entry.limit, lease)
          end
        end
      end
    end,

    -- Notes the reports, takes for the calls that wait, then grants. A blocked key gets nothing. Returns how many calls
    -- were admitted, and the numbers of the reply.
    run = function(call, ask, is_blocked, entries)
      local calls, ttl, quiet, number, wanted, reports = unpack(ask)
      local state = state_of(call.key)
      local counts = counts_of(state, call.plan, true, true)
      call.counts = counts
      local plan, found = counts.plan, leases_of(state, call.plan)
      local wants, most = false, 0
      for i = 1, plan.count do
        local limit, lease, cells = plan[i], found[i], counts[i]
        local refills = limit.kernel.refills
        -- The units were spent before the node was quiet. Since then less counted.
        if refills then settle(limit, lease, cells, now_us - quiet) end
        for _, its in ipairs(reports) do
          report(limit, lease, cells, struct.pack('<dd', its[1], its[2]), its[3], its[4][i])
        end
        if quiet > 0 or not refills then settle(limit, lease, cells, now_us) end
        wants, most = wants or wanted[i] > 0, max(most, count_of(lease))
      end
      keep(state, counts)

      local admitted = 0
      if calls > 0 and not is_blocked then
        admitted = take_at_once(counts, call.costs, calls)
      end
      local numbers = { 0, 0, nodes_of(found[1], number), 0 }
      if wants and not is_blocked and most < MOST_LEASES then
        local granted, is_granted, is_scarce = units_for(plan, counts, wanted, numbers[3], admitted < calls)
        local ends = grant(plan, found, counts, ttl, number, granted)
        if is_scarce then numbers[4] = 1 end
        if is_granted then
          numbers[1], numbers[2] = ends, ends - now_us
          for i = 1, plan.count do numbers[4 + i] = granted[i] end
        end
      end
      for i = 1, plan.count do note_use(plan[i], found[i]) end
      check_conforms(plan, counts, call.costs, entries, 1)
      describe(plan, counts, call.costs, entries, 1)
      return admitted, numbers
    end
  }
end

local made_leases

function leases()
  made_leases = made_leases or make_leases()
  return made_leases
end
