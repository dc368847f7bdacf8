import assert from "node:assert/strict";
import { Hono } from "hono";
import { createLimiter, perMinute } from "tollgate";
import { clientIp, rateLimit } from "tollgate/hono";

async function main() {
  const limiter = createLimiter({ key: clientIp(), limits: [perMinute(2)] });
  const app = new Hono();
  app.use(rateLimit({ limiter }));
  app.get("/", (context) => context.json({ left: context.get("rateLimit")?.remaining }));

  const ask = async () => (await app.request("/")).status;
  assert.deepEqual(await (await app.request("/")).json(), { left: 1 });
  assert.deepEqual([await ask(), await ask()], [200, 429]);
}

void main();
