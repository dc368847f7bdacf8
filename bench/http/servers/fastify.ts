import { type FastifyInstance, fastify } from "fastify";
import { BODY, DAY_MS, HOST, type Servers } from "./listen.ts";

export const SERVERS: Servers = {
  nothing: () => serveBehind(() => {}),
  "empty middleware": () => serveBehind((app) => void app.addHook("onRequest", (_request, _reply, done) => done())),
  "usual limiter": async (limit) => {
    const { default: rateLimit } = await import("@fastify/rate-limit");
    return serveBehind(async (app) => {
      await app.register(rateLimit, { max: limit, timeWindow: DAY_MS });
    });
  },
  "Tollgate, no headers": (limit) => serveBehind((app) => addTollgate(app, limit, { headers: false })),
  Tollgate: (limit) => serveBehind((app) => addTollgate(app, limit, {})),
};

async function serveBehind(prepare: (app: FastifyInstance) => void | Promise<void>): Promise<number> {
  const app = fastify();
  await prepare(app);
  app.get("/", (_request, reply) => void reply.send(BODY));
  const address = await app.listen({ host: HOST, port: 0 });
  return Number(new URL(address).port);
}

async function addTollgate(app: FastifyInstance, limit: number, options: { readonly headers?: false }): Promise<void> {
  const { createLimiter, perDay } = await import("tollgate");
  const { clientIp, rateLimit } = await import("tollgate/fastify");
  await app.register(rateLimit, { limiter: createLimiter({ key: clientIp(), limits: [perDay(limit)] }), ...options });
}
