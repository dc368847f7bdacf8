-- Values as entries, one for each limit: what identifies it, its cells as text, and until when it is used. Entries of
-- one group are idle together, as the limits of one list are.
--
-- A value with limits of several lists has the head `UNION`, and a section of its own for each entry. So has a value
-- with a block, which is a section, too: its cells are the end, the offences, the moment at which these are forgotten,
-- and the reason, three UTF-16 units a number. Functions for sections are created lazily: most values have the layout
-- of their call.

-- Heads and limits that the script met and was not told of: a few at a time.
local needed, is_needed = {}, {}

local function need(id)
  if is_needed[id] or #needed == MOST_NEEDED then return end
  is_needed[id] = true
  needed[#needed + 1] = id
end

-- Microseconds until the block has ended and its offences are forgotten.
local function block_left(state, now)
  return state.block and max(state.block[3] - now, 0) or 0
end

-- Microseconds for which leases matter.
local function leases_left(state, now)
  local left = 0
  for _, lease in pairs(state.leases or {}) do left = max(left, lease.used_until - now) end
  return left
end

local function make_sections()
  -- Before the cells: the limit, its name, until when it is used, how long it is kept idle, its group, how many cells.
  local HEAD_SIZE = 48

  -- The entries of limits, the numbers of the block, the last of the groups' numbers, and leases by limits' names.
  local function read(raw)
    local entries, at, block, last_group, leases = {}, 9, nil, 0, nil
    while at <= #raw do
      local used_until, ttl, group, count = 0, 0, 0, -1
      if at + HEAD_SIZE <= #raw + 1 then used_until, ttl, group, count = struct.unpack('<dddd', raw, at + 16) end
      local first, last = at + HEAD_SIZE, at + HEAD_SIZE - 1 + 8 * count
      if not (count >= 0 and last <= #raw) then error('tollgate: expected a value of whole sections', 0) end
      local id = string.sub(raw, at, at + 7)
      if id == BLOCK_ID then
        block = { struct.unpack('<' .. string.rep('d', count), raw, first) }
        -- struct.unpack returns the next position after the numbers.
        block[count + 1] = nil
      elseif id == LEASE_ID then
        leases = leases or {}
        leases[string.sub(raw, at + 8, at + 15)] = { text = string.sub(raw, first, last), used_until = used_until }
      else
        entries[#entries + 1] = {
          id = id,
          name = string.sub(raw, at + 8, at + 15),
          used_until = used_until,
          ttl = ttl,
          group = group,
          text = string.sub(raw, first, last)
        }
      end
      at, last_group = last + 1, max(last_group, group)
    end
    return entries, block, last_group, leases
  end

  local function section_of(entry)
    local numbers = struct.pack('<dddd', entry.used_until, entry.ttl, entry.group, #entry.text / 8)
    return entry.id .. entry.name .. numbers .. entry.text
  end

  local function section_of_block(block)
    local text = struct.pack('<' .. string.rep('d', #block), unpack(block))
    local id = BLOCK_ID
    return section_of({ id = id, name = id, used_until = block[3], ttl = 0, group = -1, text = text })
  end

  local function section_of_leases(name, lease)
    local entry = { id = LEASE_ID, name = name, used_until = lease.used_until, ttl = 0, group = -1, text = lease.text }
    return section_of(entry)
  end

  -- The entries of groups that are not idle, and when the last of them is.
  local function in_use(entries, now)
    local used_until, ttl, found, last = {}, {}, {}, now
    for _, entry in ipairs(entries) do
      local group = entry.group
      used_until[group] = max(used_until[group] or -huge, entry.used_until)
      ttl[group] = max(ttl[group] or 0, entry.ttl)
    end
    for _, entry in ipairs(entries) do
      local idle_at = used_until[entry.group] + ttl[entry.group]
      if idle_at > now then
        found[#found + 1] = entry
        last = max(last, idle_at)
      end
    end
    return found, last
  end

  -- The layout of the state's cells; nil if it has none, or if the script was not told of it.
  local function layout_of(state)
    if state.plan or not state.cells then return state.plan end
    if state.head == UNION then
      state.rest, state.block, state.last_group, state.leases = read(state.cells.raw)
      state.cells = nil
      return nil
    end
    if #state.head < 8 then error('tollgate: expected a value that begins with a layout', 0) end
    local layout = layouts[state.head]
    if not layout then need(state.head) end
    return layout
  end

  local function add_entries(entries, layout, cells, group, now)
    local raw, since = pack_cells(cells), now - layout.idle
    for i = 1, layout.count do
      local limit = layout[i]
      entries[#entries + 1] = {
        id = limit.id,
        name = limit.name,
        limit = limit,
        used_until = since + limit.kernel.reset(limit, cells, since),
        ttl = limit.idle,
        group = group,
        text = string.sub(raw, 8 * limit.at - 7, 8 * (limit.at + limit.size - 1))
      }
    end
  end

  -- What is in use, and when it is idle; nil if the layout has no description.
  local function entries_of(state, now)
    local entries, layout = {}, layout_of(state)
    if state.cells then
      if not layout or layout.count == 0 then return nil end
      add_entries(entries, layout, state.cells, state.group, now)
    end
    for _, part in ipairs(state.parked) do add_entries(entries, part.plan, part.cells, part.group, now) end
    for _, entry in ipairs(state.rest or {}) do entries[#entries + 1] = entry end
    return in_use(entries, now)
  end

  -- Keeps the entries of limits that a plan does not have, with groups from 1 on, beside cells of group 0.
  local function keep_rest(state, entries, names, now)
    local left, groups, count = {}, {}, 0
    for _, entry in ipairs(entries) do
      if not names[entry.name] then left[#left + 1] = entry end
    end
    left = in_use(left, now)
    for i, entry in ipairs(left) do
      if not groups[entry.group] then
        count = count + 1
        groups[entry.group] = count
      end
      left[i] = setmetatable({ group = groups[entry.group], limit = false }, { __index = entry })
    end
    state.rest = count > 0 and left or nil
    state.parked, state.group, state.last_group = {}, 0, count
  end

  return {
    layout_of = layout_of,
    entries_of = entries_of,
    keep_rest = keep_rest,

    -- The value of what `left` found.
    write = function(state, now)
      local parts, is_union = { UNION }, state.head == UNION
      for _, entry in ipairs(state.entries) do
        is_union = is_union or entry.group ~= state.group
        parts[#parts + 1] = section_of(entry)
      end
      local is_leased = leases_left(state, now) > 0
      if is_leased then
        for name, lease in pairs(state.leases) do
          if lease.used_until > now then parts[#parts + 1] = section_of_leases(name, lease) end
        end
      end
      if block_left(state, now) > 0 then
        parts[#parts + 1] = section_of_block(state.block)
      elseif not (is_union or is_leased) then
        return pack_cells(state.cells)
      end
      return table.concat(parts)
    end,

    -- Removes the entries of the plan's names, and those of a layout that has no description.
    forget = function(state, plan, now)
      local entries, names, found = entries_of(state, now), {}, false
      for i = 1, plan.count do names[plan[i].name] = true end
      for _, entry in ipairs(entries or {}) do found = found or names[entry.name] end
      -- If nothing is in use, the value may go.
      if entries and #entries > 0 and not found then return end
      keep_rest(state, entries or {}, names, now)
      state.cells, state.plan, state.firsts, state.head = nil, nil, nil, state.rest and UNION
      state.dirty = state.dirty or current
    end,

    -- Microseconds until nothing is in use; never, where the layout has no description.
    left = function(state, now)
      local entries, last = entries_of(state, now)
      state.entries = entries
      return entries and max(block_left(state, now), leases_left(state, now), last - now) or huge
    end,
  }
end

local made_sections

local function sections()
  made_sections = made_sections or make_sections()
  return made_sections
end

-- Microseconds until a key is idle, and so may be removed.
local function left_of(state, plan, now)
  state.is_plain = plan and state.head == plan.head and state.head ~= UNION
  state.is_plain = state.is_plain and not (state.rest or state.block or state.leases or state.parked[1])
  if not state.is_plain then return sections().left(state, now) end
  return state.cells and idle_in(plan, state.cells, now) or 0
end

-- After `left_of`.
local function value_of(state, now)
  return state.is_plain and pack_cells(state.cells) or sections().write(state, now)
end
