import type { FastifyReply, FastifyRequest } from "fastify";
import type { Denied } from "../../core/decision.ts";
import type { HttpFacts } from "../../http/facts.ts";
import type { GateOptions } from "../../http/gate-options.ts";

/** What stands in front of a route. */
export interface RateLimitOptions<Input> extends GateOptions<FastifyRequest, Input> {
  /**
   * Answers a denied request itself, by `reply.send` or by what it returns; status and fields are set, and may be set anew. What
   * it throws, at once or later, goes to the error handler.
   */
  readonly onDenied?: (request: FastifyRequest, reply: FastifyReply, decision: Denied) => unknown;
  /**
   * When the limiter is asked: in `"onRequest"`, the default, before the body is read, or in `"preHandler"`, when it is parsed and
   * the client may be known.
   */
  readonly hook?: "onRequest" | "preHandler";
}

/** The options where `input` makes what the limiter takes, whose type Fastify's own types have no place for. */
export interface RateLimitInputOptions extends Omit<RateLimitOptions<never>, "input"> {
  readonly input: (request: FastifyRequest) => unknown;
}

/** What a route says in `config.rateLimit` to have limits of its own, in place of those of the plugins around it. */
export type RouteRateLimit = (RateLimitOptions<HttpFacts> & { readonly input?: never }) | RateLimitInputOptions;

/** The options of the plugin. */
export type RateLimitPluginOptions =
  | (RouteRateLimit & {
      /** Whether every route is limited, as by default, or only those whose `config.rateLimit` is `true`. */
      readonly global?: boolean;
    })
  /** No limiter: only routes that bring their own are limited. */
  | { readonly global: false; readonly limiter?: never };
