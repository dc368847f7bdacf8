import assert from "node:assert/strict";
import { createLimiter, perMinute } from "tollgate";
import { hotKeys } from "tollgate/metrics";

const limiter = createLimiter({ limits: [perMinute(1)] });
const hot = hotKeys(limiter, { sample: 1 });
for (const user of ["ann", "ann", "bob"]) limiter.allow(user);
assert.deepEqual(
  hot.active().map(({ key }) => key),
  ["ann", "bob"],
);
hot.close();
