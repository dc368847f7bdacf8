import assert from "node:assert/strict";
import { createLimiter, perMinute } from "tollgate";
import { hybridStore } from "tollgate/hybrid";

async function main() {
  // A client with the shape of ioredis, whose server is unavailable.
  const gone = () => Promise.reject(new Error("connect ECONNREFUSED"));
  const client = {
    evalsha: gone,
    eval: gone,
    unlink: gone,
    ping: gone,
    scan: gone,
    on() {},
    off() {},
    status: "ready",
    isCluster: false,
    options: {},
  };
  const store = hybridStore({ client, onFailure: "deny", warnings: false });
  const limiter = createLimiter({ name: "api", limits: [perMinute(2)], store });
  const decision = await limiter.consume("ann");
  assert.deepEqual([decision.allowed, decision.degraded], [false, "connection refused"]);
  assert.throws(() => hybridStore({ client: Object(5) }), /client: expected/);
  await store.close();
}

void main();
