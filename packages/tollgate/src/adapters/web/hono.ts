import type { Context, MiddlewareHandler, Next } from "hono";
import { checkFunction } from "../../core/checks.ts";
import type { Denied } from "../../core/decision.ts";
import { mapMaybeAsync } from "../../core/maybe-async.ts";
import { endAsked, noteAsked } from "../../http/asked.ts";
import type { Departure } from "../../http/departure.ts";
import { Gate } from "../../http/gate.ts";
import type { FittingInput, GateOptions } from "../../http/gate-options.ts";
import type { HttpFacts } from "../../http/http-facts.ts";
import { departureOf, isGone, onResponseEnd } from "../../http/outgoing.ts";
import { watchOutgoing } from "../../http/outgoing-outcome.ts";
import type { RateLimited } from "../../http/rate-limited.ts";
import { sendWithHead } from "../../http/send-with-head.ts";
import type { DenialResponse, Pass, Verdict } from "../../http/verdict.ts";
import { exchangeOf, factsWith, keepAddress, outgoingOf } from "./hono-facts.ts";
import { addToResponse, alreadySent, replaceResponse, setOnContext } from "./hono-response.ts";
import { withHeaders } from "./response-headers.ts";
import { answerAndSettle, sizeOfChunk } from "./response-outcome.ts";

export * from "../../http/public.ts";
export { factsOf } from "./hono-facts.ts";

declare module "hono" {
  interface ContextVariableMap {
    /** The limiter's decision, and how to settle the request; `undefined` if it was not counted. */
    rateLimit: RateLimited | undefined;
  }
}

/** The options of a limit in front of later handlers. */
export interface RateLimitOptions<Input> extends GateOptions<Context, Input> {
  /** Answers a denied request. Status and headers are set already, and may be changed. */
  readonly onDenied?: (context: Context, decision: Denied) => Response | Promise<Response>;
  /**
   * The address of the client's socket, for servers other than those of Node, Bun and Deno. It is trusted: on a Worker,
   * use `(context) => context.req.header("cf-connecting-ip")`.
   */
  readonly remoteAddress?: (context: Context) => string | undefined;
}

/**
 * Makes a middleware that limits requests, on Node, Bun, Deno and Workers. A denied request gets 429 with `Retry-After`
 * (whole seconds, rounded up) and `{"error":"rate limit exceeded","retry_after_secs":N}`. All responses have the
 * RateLimit headers. Handlers find the decision of the last limiter that counted the request in
 * `context.get("rateLimit")`. When the limiter or a function of the options throws, the middleware throws the same for
 * `app.onError`, unless `onError` says otherwise.
 *
 * @throws TollgateError `ERR_OPTION` when an option is not what is expected.
 * @example
 * ```ts
 * import { Hono } from "hono";
 * import { createLimiter, perMinute } from "tollgate";
 * import { clientIp, rateLimit } from "tollgate/hono";
 *
 * const app = new Hono();
 * app.use(rateLimit({ limiter: createLimiter({ key: clientIp(), limits: [perMinute(2)] }) }));
 * app.get("/", (context) => context.text(`${context.get("rateLimit")?.remaining} left`));
 *
 * console.log(await (await app.request("/")).text()); // 1 left
 * console.log((await app.request("/")).status, (await app.request("/")).status); // 200 429
 * ```
 */
export function rateLimit<Input = HttpFacts>(options: RateLimitOptions<Input> & FittingInput<Input>): MiddlewareHandler;
export function rateLimit<Input>(options: RateLimitOptions<Input>): MiddlewareHandler {
  const limit = new HonoLimit(options);
  return (context, next) => limit.handle(context, next);
}

class HonoLimit<Input> {
  readonly #gate: Gate<Context, Input, Context>;
  readonly #onDenied: RateLimitOptions<Input>["onDenied"];

  constructor(options: RateLimitOptions<Input>) {
    const factsOf = factsWith(options?.remoteAddress);
    const ownOptions = ["remoteAddress"];
    const attach = (context: Context, property: string, decision: RateLimited) => context.set(property, decision);
    const departing = { departureOf: departureFrom };
    this.#gate = new Gate(options, { factsOf, exchangeOf, keepAddress, ...departing, attach, ownOptions });
    const { onDenied, remoteAddress } = options;
    if (remoteAddress !== undefined) checkFunction("remoteAddress", remoteAddress, "a function of the context");
    this.#onDenied = onDenied;
  }

  /** Hono answers what this throws or rejects with. */
  handle(context: Context, next: Next): ReturnType<MiddlewareHandler> {
    const act = (verdict: Verdict) => this.#act(verdict, context, next);
    return mapMaybeAsync(this.#gate.check(context, context), act) as ReturnType<MiddlewareHandler>;
  }

  #act(verdict: Verdict, context: Context, next: Next): ReturnType<MiddlewareHandler> {
    // For fetch handlers inside, which are given this request.
    if (verdict.asked !== undefined) noteAsked(context.req.raw, verdict.asked);
    const outgoing = outgoingOf(context);
    if (!verdict.pass) {
      // Other code has begun to answer while the limiter waited.
      return outgoing?.headersSent === true ? Promise.resolve(alreadySent()) : this.#deny(verdict, context);
    }
    if (outgoing === undefined) return passWithResponse(verdict, context, next);
    if (verdict.places !== undefined) onResponseEnd(outgoing, verdict.places.hold());
    const run = verdict.settlement?.end && watchOutgoing(outgoing, sizeOfChunk, verdict.settlement.end);
    // No handler for a client that has gone.
    if (isGone(outgoing)) return Promise.resolve(alreadySent());
    // With the head, every response has the headers, whatever the handler returns. `Headers` are many times slower.
    sendWithHead(outgoing, verdict.headers, verdict.asked);
    return run === undefined
      ? pass(next)
      : run(
          () => pass(next),
          () => (context.finalized ? context.res.status : 0),
        );
  }

  async #deny({ asked, headers, decision, content }: DenialResponse, context: Context): Promise<Response> {
    setOnContext(context, headers);
    const status = content.status as 429;
    try {
      if (this.#onDenied === undefined || decision === undefined) {
        return context.body(content.body, status, { "Content-Type": content.contentType });
      }
      context.status(status);
      return withHeaders(await this.#onDenied(context, decision), headers, asked?.decision);
    } finally {
      endAsked(asked);
    }
  }
}

function departureFrom(context: Context): Departure | undefined {
  const outgoing = outgoingOf(context);
  return outgoing === undefined ? context.req.raw.signal : departureOf(outgoing);
}

async function pass(next: Next): Promise<void> {
  // Without `return`: if no handler answered, Hono would take the value for a response.
  await next();
}

/** Runs the handler on servers that give access to its `Response` only. */
async function passWithResponse(passed: Pass, context: Context, next: Next): Promise<void> {
  const answer = async () => {
    await next();
    // If no handler answered, Hono answers after all middleware.
    return context.finalized ? context.res : undefined;
  };
  const others = passed.settlement === undefined && passed.places === undefined ? [] : executionContextOf(context);
  try {
    const answered = await answerAndSettle(passed, context.req.raw, others, answer, "failure");
    if (answered !== undefined && answered !== context.res) replaceResponse(context, answered);
    addToResponse(context, passed.headers);
  } finally {
    endAsked(passed.asked);
  }
}

/** Empty without an execution context, where Hono throws. */
function executionContextOf(context: Context): readonly unknown[] {
  try {
    return [context.executionCtx];
  } catch {
    return [];
  }
}
