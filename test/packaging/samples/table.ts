import assert from "node:assert/strict";
import { createLimiter, perMinute } from "tollgate";
import { tableStore } from "tollgate/table";

const store = tableStore({ maxKeys: 1_000 });
const limiter = createLimiter({ limits: [perMinute(2)], store });
assert.deepEqual([limiter.allow("ann"), limiter.allow("ann"), limiter.allow("ann")], [true, true, false]);
assert.equal(store.size, 1);
limiter.close();
