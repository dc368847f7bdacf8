import assert from "node:assert/strict";
import { createLimiter, perSecond } from "tollgate";
import { manualClock } from "tollgate/testing";

const clock = manualClock(1_000);
const limiter = createLimiter({ limits: [perSecond(1)], clock });
assert.equal(limiter.allow("ann"), true);
assert.equal(limiter.allow("ann"), false);
clock.advance(1_000);
assert.equal(limiter.allow("ann"), true);
limiter.close();
