/** Programs for wrk. LuaJIT has no integers, so addresses are divided. */
const FUNCTIONS = `
local function address(i)
  return string.format("10.%d.%d.%d", math.floor(i / 65536), math.floor(i / 256) % 256, i % 256)
end

local function call(ip, path)
  return string.format('{"domain":"api","facts":{"ip":"%s","method":"GET","path":"%s"}}', ip, path)
end

local function post(body)
  return wrk.format("POST", nil, { ["Content-Type"] = "application/json" }, body)
end
`;

/** Always the same call. */
export const ONE_CALL = `${FUNCTIONS}
local same
init = function() same = post(call("192.0.2.7", "/orders/17")) end
request = function() return same end
`;

/** So many equal calls in each request. */
export function batchOf(calls: number): string {
  return `${FUNCTIONS}
local same
init = function()
  local calls = {}
  for i = 1, ${calls} do calls[i] = call("192.0.2.7", "/orders/17") end
  same = post('{"requests":[' .. table.concat(calls, ",") .. "]}")
end
request = function() return same end
`;
}

/** Ten rules in turn, wherever they stand in the file: more would also measure more memory of the limiters. */
export function callsOfRules(rules: number): string {
  return `${FUNCTIONS}
local requests, next = {}, 0
init = function()
  for i = 0, 9 do requests[i] = post(call("192.0.2.7", "/v1/x" .. math.floor(i * ${rules} / 10) .. "/a/b")) end
end
request = function()
  next = (next + 1) % 10
  return requests[next]
end
`;
}

/** A client by chance for each request. */
export function callsOfClients(clients: number): string {
  return `${FUNCTIONS}
request = function() return post(call(address(math.random(0, ${clients - 1})), "/orders/17")) end
`;
}

/** The address of a client, as the programs write it. */
export function addressOf(client: number): string {
  return `10.${Math.floor(client / 65_536)}.${Math.floor(client / 256) % 256}.${client % 256}`;
}
