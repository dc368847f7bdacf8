import assert from "node:assert/strict";
import { tollgateStore } from "tollgate/hono-rate-limiter";

async function main() {
  const store = tollgateStore();
  store.init({ windowMs: 60_000 });
  await store.increment("ann");
  assert.equal((await store.increment("ann")).totalHits, 2);
}

void main();
