import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from "fastify";
import type { Limiter } from "tollgate";
import { type HttpFacts, type RateLimitPluginOptions, rateLimit } from "tollgate/fastify";
import { onTestFinished } from "vitest";
import { bucketOf, manualLimiter } from "../suite/case.ts";
import { urlOf } from "../suite/node-server.ts";

type AnswerError = (error: Error, request: FastifyRequest, reply: FastifyReply) => void;

/** Makes an application that is closed when the test has finished. */
export function makeApp(): FastifyInstance {
  const app = fastify({ forceCloseConnections: true });
  onTestFinished(() => app.close());
  return app;
}

/** An application with one route, `/`, behind a limiter. */
export async function limitedApp(options: RateLimitPluginOptions, answerError?: AnswerError): Promise<FastifyInstance> {
  const app = makeApp();
  if (answerError !== undefined) app.setErrorHandler(answerError);
  await app.register(rateLimit, options);
  app.get("/", async () => "hello");
  return app;
}

export function bucketLimiter(capacity: number): Limiter<HttpFacts> {
  return manualLimiter([bucketOf(capacity)]).limiter;
}

export async function statusOf(app: FastifyInstance, url: string): Promise<number> {
  return (await app.inject(url)).statusCode;
}

/** The statuses of so many requests, one after another. */
export async function statusesOf(app: FastifyInstance, url: string, count: number): Promise<number[]> {
  const all: number[] = [];
  for (let i = 0; i < count; i += 1) all.push(await statusOf(app, url));
  return all;
}

export async function listen(app: FastifyInstance): Promise<string> {
  await app.ready();
  return urlOf(app.server);
}
