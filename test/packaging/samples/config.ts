import assert from "node:assert/strict";
import { createLimits, LimitsFileError, parseLimits } from "tollgate/config";

const text = '{ "version": 1, "domains": { "api": { "limits": { "client": { "by": "ip", "rate": "1/1m" } } } } }';
const limits = createLimits(parseLimits(text));
const request = { ip: "192.0.2.1" };
assert.equal(limits.consume("api", request).allowed, true);
assert.equal(limits.consume("api", request).allowed, false);
assert.throws(() => parseLimits("{}"), LimitsFileError);
limits.close();
