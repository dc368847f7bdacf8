-- Finds the error of the first write in the list of `rejected-writes.ts`, as its place, counted from 1 and negated; nil
-- if it is not in the list. Some errors are only raised by `call`, so the caller repeats an unknown one with `call`.

local function find_rejection(failed)
  for number, text in ipairs(REJECTED_TEXTS) do
    if string.find(failed, text, 1, true) then return -number end
  end
end
