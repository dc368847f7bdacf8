import assert from "node:assert/strict";
import fastify from "fastify";
import { createLimiter, perMinute } from "tollgate";
import { clientIp, rateLimit } from "tollgate/fastify";

async function main() {
  const limiter = createLimiter({ key: clientIp(), limits: [perMinute(2)] });
  const app = fastify();
  await app.register(rateLimit, { limiter });
  app.get("/", (request, reply) => reply.send({ left: request.rateLimit?.remaining }));

  const ask = async () => (await app.inject("/")).statusCode;
  assert.equal((await app.inject("/")).body, '{"left":1}');
  assert.deepEqual([await ask(), await ask()], [200, 429]);
  await app.close();
}

void main();
