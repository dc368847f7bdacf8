import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import { factsOf } from "tollgate/fastify";
import { answerOf } from "./answer-of.ts";
import type { SuiteOptions } from "./harness.ts";
import { chunks } from "./node-routes.ts";

/** The suite's routes over a reply of Fastify. */
export async function answerByReply(
  request: FastifyRequest,
  reply: FastifyReply,
  options: SuiteOptions,
): Promise<FastifyReply> {
  const { status, body } = await answerOf(factsOf(request).path, request.rateLimit, options);
  return reply.code(status).send(typeof body === "string" ? body : Readable.from(chunks(body.chunks)));
}
