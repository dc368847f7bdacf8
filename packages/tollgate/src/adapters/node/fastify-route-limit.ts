import type { ServerResponse } from "node:http";
import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from "fastify";
import { optionError } from "../../core/check-options.ts";
import type { Denied } from "../../core/decision.ts";
import { toError } from "../../http/error-log.ts";
import { Gate } from "../../http/gate.ts";
import { EXPOSE, type HeaderList, mergedNames } from "../../http/header-list.ts";
import type { HttpFacts } from "../../http/http-facts.ts";
import { isGone } from "../../http/outgoing.ts";
import type { DenialResponse, Verdict } from "../../http/verdict.ts";
import type { RateLimitOptions, RouteRateLimit } from "./fastify-options.ts";
import { attach, factsAt, keepAddress } from "./node-facts.ts";
import { departureOf, watchOutcome } from "./node-response.ts";

/**
 * The neutral view of a Fastify request. Its path is as the client sent it, even if `rewriteUrl` has changed
 * `request.url`.
 *
 * @example
 * ```ts
 * import { fastify } from "fastify";
 * import { createLimiter, perMinute } from "tollgate";
 * import { clientIp, factsOf, rateLimit } from "tollgate/fastify";
 *
 * const limiter = createLimiter({ key: clientIp(), limits: [perMinute(2)] });
 * const app = fastify();
 * await app.register(rateLimit, { limiter });
 * app.get("/", async () => "hello");
 * app.get("/quota", { config: { rateLimit: false } }, async (request) => {
 *   return `${limiter.peek(factsOf(request), 0).remaining} left`;
 * });
 *
 * await app.inject("/");
 * console.log((await app.inject("/quota")).body); // 1 left
 * ```
 */
export function factsOf(request: FastifyRequest): HttpFacts {
  return factsAt(request.raw, request.originalUrl);
}

/** This adapter's own options, and those that Fastify accepts beside a plugin's. */
const OWN_OPTIONS = ["global", "hook", "prefix", "logLevel", "logSerializers"];

/** A limiter in front of routes, as a hook of Fastify. */
export class RouteLimit {
  readonly hook: "onRequest" | "preHandler";
  readonly #gate: Gate<FastifyRequest, never, ServerResponse>;
  readonly #onDenied: RouteRateLimit["onDenied"];

  /** @throws TollgateError `ERR_OPTION` when an option is not what is expected. */
  constructor(options: RouteRateLimit) {
    // The types say only that there is an input, if the limiter does not take facts.
    this.#gate = new Gate(options as RateLimitOptions<never>, {
      factsOf,
      exchangeOf: ({ raw }) => raw,
      keepAddress: ({ raw }) => keepAddress(raw),
      departureOf,
      attach,
      ownOptions: OWN_OPTIONS,
    });
    this.#onDenied = options.onDenied;
    this.hook = options.hook === undefined ? "onRequest" : options.hook;
    if (this.hook !== "onRequest" && this.hook !== "preHandler") {
      throw optionError("hook", '"onRequest" or "preHandler"', options.hook);
    }
  }

  handle(request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction): void {
    this.#gate.decide(
      request,
      reply.raw,
      (verdict) => this.#act(verdict, request, reply, done),
      (error) => done(toError(error)),
    );
  }

  #act(verdict: Verdict, request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction): void {
    if (verdict.pass) watchOutcome(reply.raw, verdict);
    // No handler for a client that has gone: the response's 'close' event is over, so the handler could not clean up.
    if (isGone(reply.raw)) return;
    setHeaders(reply, verdict.headers);
    if (verdict.pass) done();
    else this.#deny(verdict, request, reply, done);
  }

  #deny(
    { decision, content }: DenialResponse,
    request: FastifyRequest,
    reply: FastifyReply,
    done: HookHandlerDoneFunction,
  ): void {
    // Other code has begun to answer while the limiter waited.
    if (reply.sent || reply.raw.headersSent) return;
    const before = reply.statusCode;
    reply.code(content.status);
    if (this.#onDenied !== undefined && decision !== undefined) {
      const fail = (error: unknown): void => {
        // An error must not be answered with the status of a denial.
        if (!reply.sent && reply.statusCode === content.status) reply.code(before);
        done(toError(error));
      };
      answerBy(this.#onDenied, request, reply, decision).catch(fail);
      return;
    }
    // Fastify adds a charset to a string of any JSON type, and none to bytes.
    reply.header("content-type", content.contentType).send(Buffer.from(content.body));
  }
}

async function answerBy(
  onDenied: NonNullable<RouteRateLimit["onDenied"]>,
  request: FastifyRequest,
  reply: FastifyReply,
  decision: Denied,
): Promise<void> {
  const payload = await onDenied(request, reply, decision);
  if (payload !== undefined && !reply.sent) reply.send(payload);
}

/** Fastify sends names as they are given: its own are in lower case. */
function setHeaders(reply: FastifyReply, headers: HeaderList): void {
  for (const [name, value] of headers)
    reply.header(name.toLowerCase(), name === EXPOSE ? mergedNames(reply.getHeader(name), value) : value);
}
