-- The value of a key describes itself: the version, the moment at which the row was made in 7 bytes, then entries.
--
-- The entry of a limit has its description, its group and its cells. So a row can be read whatever limits a call has,
-- and a limit's counts are found by their name. The limits of the list that counted last are one group, and are idle
-- together. Other entries have a length alone: what was forgotten while the key still counted something else, leases,
-- and a block.

local HEAD_SIZE = 8
local FORGOTTEN_KIND, LEASE_KIND, BLOCK_KIND = 'x', 'l', 'k'
-- Groups are numbered by characters. Further ones share the last.
local MOST_GROUPS_OF_KEY = 200
local NOTHING = {}

local function bad_value(key, raw)
  local expected = ': expected a value of format ' .. string.byte(VERSION) .. ', got '
  error('tollgate: key ' .. keys[key] .. expected .. #raw .. ' other bytes', 0)
end

-- The text after a length of 3 bytes, and the next place.
local function read_text(raw, place)
  if place + 2 > #raw then return nil end
  local length = struct.unpack('<I3', raw, place)
  local last = place + 2 + length
  if last > #raw then return nil end
  return string.sub(raw, place + 3, last), last + 1
end

local function with_length(text)
  return struct.pack('<I3', #text) .. text
end

-- Reads an entry that is not of a limit. Returns whether there is such a kind.
local function read_other(state, id, kind, text)
  if kind == FORGOTTEN_KIND and #text == 14 then
    state.forgotten[id] = { struct.unpack('<i7i7', text) }
  elseif kind == LEASE_KIND and #text >= 16 then
    local used_until, sum = struct.unpack('<dd', text)
    state.leases = state.leases or {}
    state.leases[id] = { used_until = used_until, sum = sum, records = string.sub(text, 17) }
  elseif kind == BLOCK_KIND then
    state.block = { struct.unpack('<' .. string.rep('d', #text / 8), text) }
    -- struct.unpack returns the next position after the numbers.
    state.block[#text / 8 + 1] = nil
  else
    return false
  end
  return true
end

-- The cells of an entry from a place on, and the next place; nil if the value ends before.
local function read_cells(raw, place, count)
  if not count then
    local text, after = read_text(raw, place)
    return text and { raw = text }, after
  end
  if place + WIDTH * count - 1 > #raw then return nil end
  local cells = { raw = '', is_lifted = false, struct.unpack(count == 1 and '<i7' or '<i7i7', raw, place) }
  cells[count + 1] = nil
  return cells, place + WIDTH * count
end

local function read_row(raw, state)
  if #raw < HEAD_SIZE or string.sub(raw, 1, 1) ~= VERSION then return false end
  state.born = struct.unpack('<i7', raw, 2)
  local place = HEAD_SIZE + 1
  while place <= #raw do
    local kind = string.sub(raw, place + NAME_SIZE, place + NAME_SIZE)
    if kind == FORGOTTEN_KIND or kind == LEASE_KIND or kind == BLOCK_KIND then
      local text, after = read_text(raw, place + NAME_SIZE + 1)
      if not (text and read_other(state, string.sub(raw, place, place + NAME_SIZE - 1), kind, text)) then return false end
      place = after
    else
      local limit, at_group = known_limit(raw, place)
      if not limit then return false end
      local cells, after = read_cells(raw, at_group + 1, limit.cells)
      if not cells then return false end
      state.entries[limit.id] = { limit = limit, group = string.sub(raw, at_group, at_group), cells = cells }
      place = after
    end
  end
  return true
end

-- The state of a key without a value. It has all fields from the start: a table that grows is copied.
local function new_state(key)
  return { key = key, born = now_us, entries = {}, forgotten = {}, leases = nil, block = nil, lefts = nil }
end

-- The key's state, which is read lazily.
local function state_of(key)
  local state = states[key]
  if state then return state end
  state = new_state(key)
  local row, raw = rows[key], values[key]
  if row then
    local plan = row[#row]
    raw = to_write[key] and struct.pack(plan.format, unpack(row, 1, plan.last / 4 + 2)) or raw
    rows[key] = nil
  elseif not raw and has_other_types then
    raw = redis.call('GET', keys[key])
  end
  if raw and not read_row(raw, state) then bad_value(key, raw) end
  states[key] = state
  return state
end

local function mark_changed(state)
  to_write[state.key] = true
end

-- Microseconds until each group is idle.
local function lefts_of(state)
  local idle, lefts = {}, {}
  for _, entry in pairs(state.entries) do
    if entry.limit.idle > 0 then idle[entry.group] = max(idle[entry.group] or 0, entry.limit.idle) end
  end
  for _, entry in pairs(state.entries) do
    local group, limit = entry.group, entry.limit
    local left = limit.kernel.reset(limit, entry.cells, now_us - (idle[group] or 0))
    lefts[group] = max(lefts[group] or 0, left)
  end
  return lefts
end

-- Microseconds until the block has ended and its offences are forgotten.
local function block_left(state)
  return state.block and max(state.block[3] - now_us, 0) or 0
end

-- Microseconds for which leases matter.
local function leases_left(state)
  local left = 0
  for _, lease in pairs(state.leases or NOTHING) do left = max(left, lease.used_until - now_us) end
  return left
end

-- Leases need what is defined after this.
local leases

function left_of(state)
  if state.leases then leases().drop_ended(state) end
  state.lefts = lefts_of(state)
  local left = max(block_left(state), leases_left(state))
  for _, group_left in pairs(state.lefts) do left = max(left, group_left) end
  return left
end

-- Names in the order of their bytes. Servers compare texts by their locale.
local function comes_before(one, other)
  for i = 1, NAME_SIZE do
    local difference = string.byte(one, i) - string.byte(other, i)
    if difference ~= 0 then return difference < 0 end
  end
  return false
end

-- After `left_of`.
function value_of(state)
  local ids, parts, lefts = {}, { VERSION, struct.pack('<i7', state.born) }, state.lefts
  for id, entry in pairs(state.entries) do
    if lefts[entry.group] > 0 then ids[#ids + 1] = id end
  end
  if #ids > 1 then table.sort(ids, comes_before) end
  local groups, next_group = {}, 0
  for _, id in ipairs(ids) do
    local limit, group = state.entries[id].limit, state.entries[id].group
    if not groups[group] then
      groups[group] = string.char(string.byte(FIRST_GROUP) + min(next_group, MOST_GROUPS_OF_KEY))
      next_group = next_group + 1
    end
    local cells = state.entries[id].cells
    local text = limit.cells and pack_first(cells, limit.cells) or with_length(pack_cells(cells))
    parts[#parts + 1] = limit.description .. groups[group] .. text
  end
  for id, times in pairs(state.forgotten) do
    if times[2] > now_us then
      parts[#parts + 1] = id .. FORGOTTEN_KIND .. with_length(struct.pack('<i7i7', times[1], times[2]))
    end
  end
  for id, lease in pairs(state.leases or NOTHING) do
    if lease.used_until > now_us then
      parts[#parts + 1] = id .. LEASE_KIND .. with_length(struct.pack('<dd', lease.used_until, lease.sum) .. lease.records)
    end
  end
  if block_left(state) > 0 then
    local text = struct.pack('<' .. string.rep('d', #state.block), unpack(state.block))
    parts[#parts + 1] = string.rep(' ', NAME_SIZE) .. BLOCK_KIND .. with_length(text)
  end
  return table.concat(parts)
end

-- Removes the counts of a plan. Decisions that took some of them are told from later ones by the moment.
local function forget(state, plan)
  local lefts = lefts_of(state)
  for i = 1, plan.count do
    local id = plan[i].id
    local entry = state.entries[id]
    if entry then
      if lefts[entry.group] > 0 then state.forgotten[id] = { now_us, now_us + lefts[entry.group] } end
      state.entries[id] = nil
      mark_changed(state)
    end
  end
end

-- Whether the row knows what a limit counted at a moment: it was made before, and the limit was not forgotten since.
local function remembers(state, limit, moment)
  local forgotten = state.forgotten[limit.id]
  return state.born <= moment and not (forgotten and moment < forgotten[1])
end
