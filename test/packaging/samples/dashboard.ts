import assert from "node:assert/strict";
import { createLimiter, perMinute } from "tollgate";
import { dashboard } from "tollgate/dashboard";

async function main() {
  const limiter = createLimiter({ name: "api", limits: [perMinute(100)] });
  const board = dashboard([limiter], { authorize: () => ({ who: "ann", access: "read" }) });
  const page = await board.fetch(new Request("http://localhost/dashboard/"));
  assert.equal(page.status, 200);
  board.close();
}

void main();
