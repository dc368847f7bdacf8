import assert from "node:assert/strict";
import { metrics } from "@opentelemetry/api";
import { createLimiter, perMinute } from "tollgate";
import { instrument } from "tollgate/otel";

const limiter = createLimiter({ name: "api", limits: [perMinute(1)] });
const end = instrument(limiter, { meter: metrics.getMeter("sample"), sample: 1 });
assert.deepEqual([limiter.allow("ann"), limiter.allow("ann")], [true, false]);
end();
