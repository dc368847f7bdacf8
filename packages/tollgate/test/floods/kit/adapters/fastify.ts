import type { AddressInfo } from "node:net";
import fastify from "fastify";
import { rateLimit } from "tollgate/fastify";
import { BODY, DEGRADED, type Serve } from "./serving.ts";

export const serve: Serve = async (limiter) => {
  const app = fastify();
  await app.register(rateLimit, { limiter });
  app.get("/*", async (request, reply) => {
    const degraded = request.rateLimit?.degraded;
    if (degraded !== undefined) reply.header(DEGRADED, degraded);
    return BODY;
  });
  await app.listen({ port: 0, host: "127.0.0.1" });
  return (app.server.address() as AddressInfo).port;
};
