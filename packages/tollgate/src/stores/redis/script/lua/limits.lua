-- A limit describes itself in a row: 5 characters for the name of its counts, one for its kind, and its numbers.
-- `row.ts` writes the same text, so a row under a plan's own numbers is known by comparing texts.

-- The kernel of a kind, the names of its numbers, and how many cells it has; those of others come after their length.
-- Each file of `kernels` has a function that knows its kinds, such as `token_bucket_kind`.
local function make_kind(name)
  return KINDS
end

local kinds = {}
local NAME_SIZE = 5

-- Most numbers are a few thousands or millions, and most times a few seconds or hours in microseconds.
local MULTIPLES = NUMBER_MULTIPLES

-- A number has characters of 6 bits, of which the highest says that another one follows. The first says in 2 bits of
-- what the number is a multiple, and has 3 bits of the rest, the others 5 bits.
local function read_number(text, place)
  local digit = string.byte(text, place)
  if not digit then return nil, place end
  digit = digit - 48
  local multiple, value, scale = MULTIPLES[floor(digit / 8) % 4 + 1], digit % 8, 8
  while digit >= 32 do
    place = place + 1
    digit = string.byte(text, place)
    if not digit then return nil, place end
    digit = digit - 48
    value = value + digit % 32 * scale
    scale = scale * 32
  end
  return value * multiple, place + 1
end

-- The limit that is described from a place on, and the next place; nil if nothing is.
local function read_limit(text, place)
  local letter = string.sub(text, place + NAME_SIZE, place + NAME_SIZE)
  local kind = kinds[letter] or make_kind(letter)
  if not kind then return nil end
  kinds[letter] = kind
  local limit, after = { idle = 0, told = {} }, place + NAME_SIZE + 1
  for i, name in ipairs(kind.numbers) do
    limit[name], after = read_number(text, after)
    if not limit[name] then return nil end
    limit.told[i] = limit[name]
  end
  limit.id, limit.description = string.sub(text, place, place + NAME_SIZE - 1), string.sub(text, place, after - 1)
  limit.refill = limit.refill or limit.capacity
  limit.kernel, limit.cells = kind.kernel, kind.cells
  limit.starts_empty, limit.by_clock, limit.by_calendar = kind.starts_empty, kind.by_clock, kind.by_calendar
  limit.kernel.read(limit)
  return limit, after
end

-- The last limit of each name and kind: most rows have the limits of the call.
local known_limits = {}

-- The same, without reading a description again.
local function known_limit(text, place)
  local start = string.sub(text, place, place + NAME_SIZE)
  local known = known_limits[start]
  if known and string.sub(text, place, place + #known.description - 1) == known.description then
    return known, place + #known.description
  end
  local limit, after = read_limit(text, place)
  known_limits[start] = limit
  return limit, after
end
