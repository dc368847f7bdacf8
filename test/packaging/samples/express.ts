import assert from "node:assert/strict";
import { once } from "node:events";
import express from "express";
import { createLimiter, perMinute } from "tollgate";
import { clientIp, rateLimit } from "tollgate/express";

async function main() {
  const limiter = createLimiter({ key: clientIp(), limits: [perMinute(2)] });
  const app = express();
  app.use(rateLimit({ limiter }));
  app.get("/", (request, response) => void response.json({ left: request.rateLimit?.remaining }));
  const server = app.listen(0, "127.0.0.1");
  await once(server, "listening");

  const address = server.address();
  assert(address !== null && typeof address === "object");
  const ask = async () => {
    const answer = await fetch(`http://127.0.0.1:${address.port}/`);
    return [answer.status, await answer.text()];
  };
  assert.deepEqual(await ask(), [200, '{"left":1}']);
  assert.deepEqual(await ask(), [200, '{"left":0}']);
  assert.deepEqual(await ask(), [429, '{"error":"rate limit exceeded","retry_after_secs":30}']);
  server.close();
  server.closeAllConnections();
}

void main();
