import assert from "node:assert/strict";
import { rateLimitStorage } from "tollgate/better-auth";

async function main() {
  const storage = rateLimitStorage();
  const rule = { window: 10, max: 1 };
  assert.deepEqual(await storage.consume("a", rule), { allowed: true, retryAfter: null });
  assert.deepEqual(await storage.consume("a", rule), { allowed: false, retryAfter: 10 });
}

void main();
