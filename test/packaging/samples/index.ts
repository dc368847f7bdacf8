import assert from "node:assert/strict";
import { combine, createLimiter, perMinute, perSecond, TollgateError } from "tollgate";

const perClient = createLimiter({ name: "client", limits: [perSecond(3), perMinute(5)] });
assert.equal(perClient.allow("ann"), true);
assert.equal(perClient.consume("ann", 2).allowed, true);

const denied = perClient.consume("ann");
assert.equal(denied.allowed, false);
assert.equal(denied.remaining, 0);
assert.equal(perClient.allow("bob"), true);

const perRoute = createLimiter({ name: "route", limits: [perSecond(1)] });
assert.equal(combine(perClient, perRoute).allow("cat"), true);
assert.equal(combine(perClient, perRoute).allow("cat"), false);
assert.throws(() => perClient.allow("ann", -1), TollgateError);
perClient.close();
perRoute.close();
