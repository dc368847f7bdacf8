import { type FastifyInstance, fastify } from "fastify";
import { BODY, HOST, type Serve } from "./serve.ts";

export const serveBare: Serve = () => serveBehind(() => {});

export const serveEmpty: Serve = () =>
  serveBehind((app) => void app.addHook("onRequest", (_request, _reply, done) => done()));

export async function serveBehind(prepare: (app: FastifyInstance) => void | Promise<void>): Promise<number> {
  const app = fastify();
  await prepare(app);
  app.get("/", (_request, reply) => void reply.send(BODY));
  const address = await app.listen({ host: HOST, port: 0 });
  return Number(new URL(address).port);
}
