import type { Context, Middleware, Next } from "koa";
import type { Decision, Denied } from "../core/decision.ts";
import type { HttpFacts } from "../http/facts.ts";
import { Gate, type Refusal, type Verdict } from "../http/gate.ts";
import type { GateOptions } from "../http/gate-options.ts";
import { isGone } from "../http/outgoing.ts";
import { toError } from "../http/thrown-error.ts";
import { isPromise, whenReady } from "../http/when-ready.ts";
import { factsAt } from "./node/facts.ts";
import { keepAddress } from "./node/kept-address.ts";
import { watchOutcome } from "./node/outcome.ts";
import { setHeaders } from "./node/response.ts";

export {
  type ClientIpOptions,
  clientIp,
  compose,
  cookie,
  firstOf,
  type GateOptions,
  type HeaderForm,
  type HttpFacts,
  header,
  type KeyOf,
  type Outcome,
  type TrustProxy,
} from "../http/public.ts";

/** What `context.state` has for those that follow: for applications that type their own state. */
export interface RateLimitState {
  /** What the limiter decided; `undefined` for a request that was not counted. */
  rateLimit?: Decision | undefined;
}

declare module "koa" {
  interface DefaultState {
    /** What the limiter decided; `undefined` for a request that was not counted. */
    rateLimit?: Decision | undefined;
  }
}

/** What stands in front of the middleware that follows. */
export interface RateLimitOptions<Input> extends GateOptions<Context, Input> {
  /** Answers a denied request itself, at once or later; status and fields are set, and may be set anew. */
  readonly onDenied?: (context: Context, decision: Denied) => unknown;
}

/**
 * The neutral view of a request of Koa. Its path is that of `originalUrl`: as it was sent, also where a router or `koa-mount` has
 * changed `context.path`.
 */
export function factsOf(context: Context): HttpFacts {
  return factsAt(context.req, context.originalUrl);
}

/**
 * Puts a limiter in front of the middleware that follows. A denied request gets 429 with `Retry-After` (whole seconds, rounded
 * up) and `{"error":"rate limit exceeded","retry_after_secs":N}`; all get the RateLimit fields. What follows finds the decision
 * in `context.state.rateLimit`, that of the last limiter that counted the request. When the limiter or a function of the options
 * throws, the middleware throws the same, and Koa answers 500, unless `onError` says otherwise. Koa's own `app.proxy` and
 * `context.ip` play no part: whose word is taken is said by `trustProxy`.
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
export function rateLimit(
  options: RateLimitOptions<HttpFacts> & { readonly input?: never },
): Middleware<RateLimitState>;
export function rateLimit<Input>(
  options: RateLimitOptions<Input> & { readonly input: (context: Context) => Input | Promise<Input> },
): Middleware<RateLimitState>;
export function rateLimit<Input>(options: RateLimitOptions<Input>): Middleware<RateLimitState> {
  const limit = new KoaLimit(options);
  return ((context: Context, next: Next) => limit.handle(context, next)) as Middleware<RateLimitState>;
}

class KoaLimit<Input> {
  readonly #gate: Gate<Context, Input>;
  readonly #onDenied: RateLimitOptions<Input>["onDenied"];

  constructor(options: RateLimitOptions<Input>) {
    this.#gate = new Gate(options, factsOf);
    this.#onDenied = options.onDenied;
  }

  /** What is thrown, at once or later, is for Koa to answer. */
  handle(context: Context, next: Next): unknown {
    const verdict = this.#gate.check(context);
    if (isPromise(verdict)) keepAddress(context.req);
    return whenReady(verdict, (known) => this.#act(known, context, next));
  }

  #act(verdict: Verdict, context: Context, next: Next): unknown {
    const response = context.res;
    if (verdict.decision !== undefined) context.state.rateLimit = verdict.decision;
    if (!verdict.pass) return this.#refuse(verdict, context);
    const run = verdict.settle && watchOutcome(response, verdict.settle);
    // A client that went while the store was asked needs no answer: its 'close' is over, nobody would clean up.
    if (isGone(response)) return undefined;
    setHeaders(response, verdict.headers);
    // Koa sends nothing of what was set for a client that has gone.
    return run === undefined ? next() : run(next, () => response.statusCode);
  }

  #refuse({ headers, decision, answer }: Refusal, context: Context): unknown {
    // Somebody else has answered, or begun to, while the store was asked: Koa would append what it makes of this.
    if (context.headerSent) {
      context.respond = false;
      return undefined;
    }
    setHeaders(context.res, headers);
    context.status = answer.status;
    if (this.#onDenied !== undefined && decision !== undefined) return answerBy(this.#onDenied, context, decision);
    context.set("Content-Type", answer.contentType);
    context.body = answer.body;
    return undefined;
  }
}

/** Koa takes no other failure for one. */
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
