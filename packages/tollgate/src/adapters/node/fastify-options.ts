import type { FastifyReply, FastifyRequest } from "fastify";
import type { Denied } from "../../core/decision.ts";
import type { GateOptions } from "../../http/gate-options.ts";
import type { HttpFacts } from "../../http/http-facts.ts";

/** The options of a limit in front of routes. */
export interface RateLimitOptions<Input> extends GateOptions<FastifyRequest, Input> {
  /**
   * Answers a denied request, by `reply.send` or by its return value. Status and headers are set already, and may be
   * changed. The error handler gets what this function throws, at once or later.
   */
  readonly onDenied?: (request: FastifyRequest, reply: FastifyReply, decision: Denied) => unknown;
  /**
   * When the limiter is asked: in `"onRequest"`, the default, before the body is read; or in `"preHandler"`, when the
   * body is parsed and authentication hooks have run.
   */
  readonly hook?: "onRequest" | "preHandler";
}

/**
 * The options with an `input` for a limiter that does not take `HttpFacts`. Fastify's types have no place for the
 * input's type.
 */
export type RateLimitInputOptions = Omit<RateLimitOptions<never>, "input"> & InputUnlessLimiterHasKey;

/** The name is what the compiler prints where both are missing. */
interface InputUnlessLimiterHasKey {
  readonly input: (request: FastifyRequest) => unknown;
}

/** The value of `config.rateLimit` that gives a route its own limits, in place of those of the plugins. */
export type RouteRateLimit = (RateLimitOptions<HttpFacts> & { readonly input?: never }) | RateLimitInputOptions;

/** The options of the plugin. */
export type RateLimitPluginOptions =
  | (RouteRateLimit & {
      /** Whether every route is limited (the default), or only routes whose `config.rateLimit` is `true`. */
      readonly global?: boolean;
    })
  /** Without a limiter, only routes with their own options are limited. */
  | { readonly global: false; readonly limiter?: never };
