/**
 * The values of all keys at once, for the shorter ways. Lua has no room for more than some thousands of values at a time, so they are
 * read in portions.
 */
export const READ_VALUES = `
  local values
  if #keys == 1 then
    values = { call('GET', keys[1]) }
  else
    values = {}
    for from = 1, #keys, 2000 do
      local to = from + 1999
      if to > #keys then to = #keys end
      local portion = call('MGET', unpack(keys, from, to))
      local missing, count = {}, 0
      for i = 1, to - from + 1 do
        if not portion[i] then
          count = count + 1
          missing[count] = keys[from + i - 1]
        end
      end
      -- What is no text was passed over, too: GET says that it is none.
      if count > 0 and call('EXISTS', unpack(missing)) > 0 then
        for i = 1, count do call('GET', missing[i]) end
      end
      if #keys <= 2000 then
        values = portion
      else
        for i = 1, to - from + 1 do values[from + i - 1] = portion[i] end
      end
    end
  end
`;
