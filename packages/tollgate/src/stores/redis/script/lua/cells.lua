-- The numbers of one limit and one key: whole numbers of 7 bytes, without trailing zeros, so that unused parts of a
-- ring cost nothing. Cells are numbered from 1. Rings have up to 2,050 cells, of which a call reads a few, so they are
-- decoded lazily.

local WIDTH = 7
-- Up to so many cells are packed at once.
local MANY = 200

local function pack_numbers(numbers, from, to)
  return struct.pack('<' .. string.rep('i7', to - from + 1), unpack(numbers, from, to))
end

local function get(cells, i)
  local value = cells[i]
  if value then return value end
  value = 0
  if WIDTH * i <= #cells.raw then value = struct.unpack('<i7', cells.raw, WIDTH * (i - 1) + 1) end
  cells[i] = value
  return value
end

local function put(cells, i, value)
  cells[i] = value
end

-- Packs so many cells, without leaving out zeros.
local function pack_first(cells, count)
  if count == 1 then return struct.pack('<i7', get(cells, 1)) end
  return struct.pack('<i7i7', get(cells, 1), get(cells, 2))
end

-- Copies the old text of a long value between the cells that were decoded.
local function pack_cells(cells)
  local count, places = #cells.raw / WIDTH, {}
  for i in pairs(cells) do
    if type(i) == 'number' then
      places[#places + 1] = i
      if i > count then count = i end
    end
  end
  while count > 0 and get(cells, count) == 0 do count = count - 1 end
  local parts = {}
  if count <= MANY or #places > MANY then
    for i = 1, count do get(cells, i) end
    for from = 1, count, MANY do parts[#parts + 1] = pack_numbers(cells, from, min(from + MANY - 1, count)) end
    return table.concat(parts)
  end
  table.sort(places)
  local after = 1
  for _, i in ipairs(places) do
    if i > count then break end
    local old = string.sub(cells.raw, WIDTH * (after - 1) + 1, WIDTH * (i - 1))
    parts[#parts + 1] = old .. string.rep('\0', WIDTH * (i - after) - #old)
    parts[#parts + 1] = struct.pack('<i7', cells[i])
    after = i + 1
  end
  parts[#parts + 1] = string.sub(cells.raw, WIDTH * (after - 1) + 1, WIDTH * count)
  return table.concat(parts)
end

local function copied(fields)
  local copy = {}
  for field, value in pairs(fields) do copy[field] = value end
  return copy
end
