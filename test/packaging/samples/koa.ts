import assert from "node:assert/strict";
import { once } from "node:events";
import Koa from "koa";
import { createLimiter, perMinute } from "tollgate";
import { clientIp, rateLimit } from "tollgate/koa";

async function main() {
  const limiter = createLimiter({ key: clientIp(), limits: [perMinute(2)] });
  const app = new Koa();
  app.use(rateLimit({ limiter }));
  app.use((context) => {
    context.body = "hello";
  });
  const server = app.listen(0, "127.0.0.1");
  await once(server, "listening");

  const address = server.address();
  assert(address !== null && typeof address === "object");
  const ask = async () => (await fetch(`http://127.0.0.1:${address.port}/`)).status;
  assert.deepEqual([await ask(), await ask(), await ask()], [200, 200, 429]);
  server.close();
  server.closeAllConnections();
}

void main();
