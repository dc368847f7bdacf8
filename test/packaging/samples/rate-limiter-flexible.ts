import assert from "node:assert/strict";
import { RateLimiterMemory, RateLimiterRes } from "tollgate/rate-limiter-flexible";

async function main() {
  const limiter = new RateLimiterMemory({ points: 1, duration: 60 });
  assert.equal((await limiter.consume("ann")).remainingPoints, 0);
  await assert.rejects(limiter.consume("ann"), (denied) => denied instanceof RateLimiterRes);
}

void main();
