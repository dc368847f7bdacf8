import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { createLimiter, perMinute } from "tollgate";
import { rateLimit } from "tollgate/node";

async function main() {
  const limiter = createLimiter({ key: () => "everyone", limits: [perMinute(2)] });
  const answer = rateLimit({ limiter });
  const server = createServer(answer((_request, response) => void response.end("hello")));
  await once(server.listen(0, "127.0.0.1"), "listening");

  const address = server.address();
  assert(address !== null && typeof address === "object");
  const ask = async () => (await fetch(`http://127.0.0.1:${address.port}/`)).status;
  assert.deepEqual([await ask(), await ask(), await ask()], [200, 200, 429]);
  server.close();
  server.closeAllConnections();
  limiter.close();
}

void main();
