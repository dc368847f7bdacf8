import assert from "node:assert/strict";
import { createLimiter, perMinute } from "tollgate";
import { durableObjectStore, rateLimitObject } from "tollgate/durable-object";

async function main() {
  // In place of the class of `cloudflare:workers`, and of a binding whose objects are gone.
  class DurableObject {
    isPlain = true;
  }
  assert.equal(typeof rateLimitObject(DurableObject), "function");
  const store = durableObjectStore({
    namespace: { idFromName: (name) => ({ name }), get: () => ({}) },
    ...{ onFailure: "deny", warnings: false },
  });
  const limiter = createLimiter({ name: "api", limits: [perMinute(1)], store });
  const decision = await limiter.consume("ann");
  assert.equal(decision.allowed, false);
  assert.notEqual(decision.degraded, undefined);
  await store.close();
}

void main();
