import assert from "node:assert/strict";
import { createLimiter, perMinute } from "tollgate";
import { postgresStore } from "tollgate/postgres";

async function main() {
  // In place of a pool of `pg` that has no connection.
  const client = { query: () => Promise.reject(new Error("gone")) };
  const store = postgresStore({ client, onFailure: "deny", warnings: false });
  const limiter = createLimiter({ name: "api", limits: [perMinute(1)], store });
  const decision = await limiter.consume("ann");
  assert.equal(decision.allowed, false);
  assert.notEqual(decision.degraded, undefined);
  await store.close();
}

void main();
