import assert from "node:assert/strict";
import { subscribe } from "node:diagnostics_channel";
import { createLimiter, perMinute } from "tollgate";
import { publish } from "tollgate/diagnostics";

const limiter = createLimiter({ name: "api", limits: [perMinute(1)] });
const end = publish(limiter);
let decisions = 0;
subscribe("tollgate:decision", () => {
  decisions += 1;
});
limiter.allow("ann");
end();
limiter.allow("ann");
assert.equal(decisions, 1);
