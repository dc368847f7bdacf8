/** Programs for wrk. */
const FUNCTIONS = `
local function call(path)
  return '{"domain":"api","facts":{"ip":"192.0.2.7","method":"GET","path":"' .. path .. '"}}'
end

local function post(body)
  return wrk.format("POST", nil, { ["Content-Type"] = "application/json" }, body)
end
`;

/** Always the same call. */
export const ONE_CALL = `${FUNCTIONS}
local same
init = function() same = post(call("/orders/17")) end
request = function() return same end
`;

/** A hundred equal calls in each request. */
export const BATCH = `${FUNCTIONS}
local same
init = function()
  local calls = {}
  for i = 1, 100 do calls[i] = call("/orders/17") end
  same = post('{"requests":[' .. table.concat(calls, ",") .. "]}")
end
request = function() return same end
`;

/** Ten rules in turn, wherever they stand in the file: more would also measure more memory of the limiters. */
export function callsOfRules(rules: number): string {
  return `${FUNCTIONS}
local requests, next = {}, 0
init = function()
  for i = 0, 9 do requests[i] = post(call("/v1/x" .. math.floor(i * ${rules} / 10) .. "/a/b")) end
end
request = function()
  next = (next + 1) % 10
  return requests[next]
end
`;
}
