import type { ServerResponse } from "node:http";
import type { Context, Middleware, Next } from "koa";
import type { Denied } from "../../core/decision.ts";
import { mapMaybeAsync } from "../../core/maybe-async.ts";
import { toError } from "../../http/error-log.ts";
import { Gate } from "../../http/gate.ts";
import type { FittingInput, GateOptions } from "../../http/gate-options.ts";
import type { HttpFacts } from "../../http/http-facts.ts";
import { isGone } from "../../http/outgoing.ts";
import type { RateLimited } from "../../http/rate-limited.ts";
import type { DenialResponse, Verdict } from "../../http/verdict.ts";
import { attach, factsAt, keepAddress } from "./node-facts.ts";
import { departureOf, setHeaders, watchOutcome } from "./node-response.ts";

export * from "../../http/public.ts";

/** The part of `context.state` that the limiter sets, for applications that declare the type of their state. */
export interface RateLimitState {
  /** The limiter's decision, and how to settle the request; `undefined` if it was not counted. */
  rateLimit?: RateLimited | undefined;
}

declare module "koa" {
  interface DefaultState {
    /** The limiter's decision, and how to settle the request; `undefined` if it was not counted. */
    rateLimit?: RateLimited | undefined;
  }
}

/** The options of a limit in front of later middleware. */
export interface RateLimitOptions<Input> extends GateOptions<Context, Input> {
  /** Answers a denied request, at once or later. Status and headers are set already, and may be changed. */
  readonly onDenied?: (context: Context, decision: Denied) => unknown;
}

/**
 * The neutral view of a Koa request. Its path is that of `originalUrl`: as the client sent it, even if a router or
 * `koa-mount` has changed `context.path`.
 *
 * @example
 * ```ts
 * import { once } from "node:events";
 * import type { AddressInfo } from "node:net";
 * import Koa from "koa";
 * import { createLimiter, perMinute } from "tollgate";
 * import { clientIp, factsOf, rateLimit } from "tollgate/koa";
 *
 * const app = new Koa();
 * const limiter = createLimiter({ key: clientIp(), limits: [perMinute(10)] });
 * app.use(rateLimit({ limiter, cost: (context) => (factsOf(context).path === "/search" ? 5 : 1) }));
 * app.use((context) => {
 *   context.body = `${context.state.rateLimit?.remaining} left`;
 * });
 * const server = app.listen(0, "127.0.0.1");
 * await once(server, "listening");
 *
 * const { port } = server.address() as AddressInfo;
 * console.log(await (await fetch(`http://127.0.0.1:${port}/search?q=a`)).text()); // 5 left
 * server.close();
 * server.closeAllConnections();
 * ```
 */
export function factsOf(context: Context): HttpFacts {
  return factsAt(context.req, context.originalUrl);
}

/**
 * Makes a middleware that limits requests. A denied request gets 429 with `Retry-After` (whole seconds, rounded up) and
 * `{"error":"rate limit exceeded","retry_after_secs":N}`. All responses have the RateLimit headers. Later middleware
 * finds the decision of the last limiter that counted the request in `context.state.rateLimit`. When the limiter or a
 * function of the options throws, the middleware throws the same, and Koa answers 500, unless `onError` says otherwise.
 * Koa's own `app.proxy` and `context.ip` are ignored: see `clientIp`.
 *
 * @throws TollgateError `ERR_OPTION` when an option is not what is expected.
 * @example
 * ```ts
 * import { once } from "node:events";
 * import type { AddressInfo } from "node:net";
 * import Koa from "koa";
 * import { createLimiter, perMinute } from "tollgate";
 * import { clientIp, rateLimit } from "tollgate/koa";
 *
 * const app = new Koa();
 * app.use(rateLimit({ limiter: createLimiter({ key: clientIp(), limits: [perMinute(2)] }) }));
 * app.use((context) => {
 *   context.body = `${context.state.rateLimit?.remaining} left`;
 * });
 * const server = app.listen(0, "127.0.0.1");
 * await once(server, "listening");
 *
 * const { port } = server.address() as AddressInfo;
 * const get = () => fetch(`http://127.0.0.1:${port}/`);
 * console.log(await (await get()).text()); // 1 left
 * console.log((await get()).status, (await get()).status); // 200 429
 * server.close();
 * server.closeAllConnections();
 * ```
 */
export function rateLimit<Input = HttpFacts>(
  options: RateLimitOptions<Input> & FittingInput<Input>,
): Middleware<RateLimitState>;
export function rateLimit<Input>(options: RateLimitOptions<Input>): Middleware<RateLimitState> {
  const limit = new KoaLimit(options);
  return ((context: Context, next: Next) => limit.handle(context, next)) as Middleware<RateLimitState>;
}

class KoaLimit<Input> {
  readonly #gate: Gate<Context, Input, ServerResponse>;
  readonly #onDenied: RateLimitOptions<Input>["onDenied"];

  constructor(options: RateLimitOptions<Input>) {
    this.#gate = new Gate(options, {
      factsOf,
      exchangeOf: ({ req }) => req,
      keepAddress: ({ req }) => keepAddress(req),
      departureOf,
      attach: ({ state }, property, decision) => attach(state, property, decision),
    });
    this.#onDenied = options.onDenied;
  }

  /** Koa answers what this throws or rejects with. */
  handle(context: Context, next: Next): unknown {
    return mapMaybeAsync(this.#gate.check(context, context.res), (verdict) => this.#act(verdict, context, next));
  }

  #act(verdict: Verdict, context: Context, next: Next): unknown {
    const response = context.res;
    if (!verdict.pass) return this.#deny(verdict, context);
    const run = watchOutcome(response, verdict);
    // No handler for a client that has gone: the response's 'close' event is over, so the handler could not clean up.
    if (isGone(response)) return undefined;
    setHeaders(response, verdict.headers);
    // Koa sends no head to a client that has gone, so the status is read here.
    return run === undefined ? next() : run(next, () => response.statusCode);
  }

  #deny({ headers, decision, content }: DenialResponse, context: Context): unknown {
    // Other code has begun to answer while the limiter waited. Koa would append its own response.
    if (context.headerSent) {
      context.respond = false;
      return undefined;
    }
    setHeaders(context.res, headers);
    context.status = content.status;
    if (this.#onDenied !== undefined && decision !== undefined) return answerBy(this.#onDenied, context, decision);
    context.set("Content-Type", content.contentType);
    context.body = content.body;
    return undefined;
  }
}

/** Turns what `onDenied` throws into an error: Koa ignores some other values. */
async function answerBy<Input>(
  onDenied: NonNullable<RateLimitOptions<Input>["onDenied"]>,
  context: Context,
  decision: Denied,
): Promise<unknown> {
  try {
    return await onDenied(context, decision);
  } catch (error) {
    throw toError(error);
  }
}
