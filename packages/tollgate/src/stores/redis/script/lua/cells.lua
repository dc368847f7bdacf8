-- The value of a key: its cells as little-endian float64, without trailing zeros, so that unused parts of a ring cost
-- nothing. Cells are numbered from 1. Rings have up to 2,050 cells, of which a call reads a few, so long values are
-- decoded lazily.

local SHORT = 8
-- From so many changed cells on, sorting their places is slower than packing all cells.
local MANY = 200

local function read_cells(raw, key)
  local count = #raw / 8
  if count ~= floor(count) then
    error('tollgate: key ' .. key .. ': expected a value of 8-byte cells, got ' .. #raw .. ' bytes', 0)
  end
  if count > SHORT then return { raw = raw } end
  local cells = { struct.unpack('<' .. string.rep('d', count), raw) }
  -- struct.unpack returns the next position after the numbers.
  cells[count + 1] = nil
  cells.raw = raw
  return cells
end

local function get(cells, i)
  local value = cells[i]
  if value then return value end
  value = 0
  if 8 * i <= #cells.raw then value = struct.unpack('<d', cells.raw, 8 * i - 7) end
  cells[i] = value
  return value
end

-- An undo table, if present, records the previous values.
local function put(cells, i, value)
  local undo = cells.undo
  if undo and undo[i] == nil then undo[i] = get(cells, i) end
  if not cells.written then cells.written = {} end
  cells.written[i] = true
  cells[i] = value
end

-- Copies the old text of a long value between the cells that were written.
local function pack_cells(cells)
  local count = #cells.raw / 8
  local places = {}
  for i in pairs(cells.written or {}) do
    places[#places + 1] = i
    if i > count then count = i end
  end
  if count <= SHORT then
    while count > 0 and get(cells, count) == 0 do count = count - 1 end
    for i = 1, count do get(cells, i) end
    return struct.pack('<' .. string.rep('d', count), unpack(cells, 1, count))
  end
  local parts = {}
  if #places > MANY then
    for from = 1, count, MANY do
      local to = min(from + MANY - 1, count)
      for i = from, to do get(cells, i) end
      parts[#parts + 1] = struct.pack('<' .. string.rep('d', to - from + 1), unpack(cells, from, to))
    end
    return table.concat(parts)
  end
  table.sort(places)
  local after = 1
  for _, i in ipairs(places) do
    if i > after then
      local old = string.sub(cells.raw, 8 * after - 7, 8 * i - 8)
      parts[#parts + 1] = old .. string.rep('\0', 8 * (i - after) - #old)
    end
    parts[#parts + 1] = struct.pack('<d', cells[i])
    after = i + 1
  end
  parts[#parts + 1] = string.sub(cells.raw, 8 * after - 7)
  return table.concat(parts)
end

-- Overwrites the cells from a place on with packed text. It cannot be undone.
local function replace(cells, from, text)
  local raw = pack_cells(cells)
  local before = 8 * (from - 1)
  raw = raw .. string.rep('\0', before + #text - #raw)
  cells.raw = string.sub(raw, 1, before) .. text .. string.sub(raw, before + #text + 1)
  cells.written = nil
  for i in pairs(cells) do
    if type(i) == 'number' then cells[i] = nil end
  end
end
