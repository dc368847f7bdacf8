import { type FastifyInstance, fastify } from "fastify";
import { BODY, DAY_MS, type Framework, HOST } from "./framework.ts";

export const FRAMEWORK: Framework<(app: FastifyInstance) => unknown> = {
  async usual(limit) {
    const { default: rateLimit } = await import("@fastify/rate-limit");
    return (app) => app.register(rateLimit, { max: limit, timeWindow: DAY_MS });
  },
  async tollgate(options) {
    const { rateLimit } = await import("tollgate/fastify");
    return (app) => app.register(rateLimit, options);
  },
  async serve(prepare) {
    const app = fastify();
    await prepare?.(app);
    app.get("/", (_request, reply) => void reply.send(BODY));
    const address = await app.listen({ host: HOST, port: 0 });
    return Number(new URL(address).port);
  },
};
