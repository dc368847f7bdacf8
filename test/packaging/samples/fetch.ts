import assert from "node:assert/strict";
import { createLimiter, perMinute } from "tollgate";
import { clientIp, decisionOf, rateLimit } from "tollgate/fetch";

async function main() {
  const limiter = createLimiter({ key: clientIp(), limits: [perMinute(2)] });
  const limited = rateLimit({ limiter });
  const answer = limited((request) => Response.json({ left: decisionOf(request)?.remaining }));

  const ask = async () => (await answer(new Request("http://localhost/"))).status;
  assert.deepEqual(await (await answer(new Request("http://localhost/"))).json(), { left: 1 });
  assert.deepEqual([await ask(), await ask()], [200, 429]);
}

void main();
