import assert from "node:assert/strict";
import { perMinute } from "tollgate";
import { createPlan, createTimeCell, PlanVerbs, Report } from "tollgate/store";

const verbs = new PlanVerbs(createPlan("api", "api", [perMinute(2)]));
const now = createTimeCell(1_000_000);
const report = new Report();
assert.equal(verbs.apply("take", undefined, [2], now, report, 0), true);
assert.deepEqual(report.used, [2]);
assert.ok(verbs.changed);
assert.equal(verbs.allow(verbs.changed, 1, now), false);
