import assert from "node:assert/strict";
import { tollgateStore } from "tollgate/fastify-rate-limit";

const Store = tollgateStore();
new Store({}).incr("ann", (_error, result) => assert.equal(result?.current, 1), 60_000, 2);
