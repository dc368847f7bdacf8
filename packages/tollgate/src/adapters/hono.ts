import type { Context, MiddlewareHandler, Next } from "hono";
import { checkFunction } from "../core/checks.ts";
import type { Decision, Denied } from "../core/decision.ts";
import type { HttpFacts } from "../http/facts.ts";
import { Gate, type Pass, type Refusal, type Verdict } from "../http/gate.ts";
import type { GateOptions } from "../http/gate-options.ts";
import { isGone } from "../http/outgoing.ts";
import { askedBy, settleFailure, watchResponse } from "../http/response-outcome.ts";
import { sendWithHead } from "../http/send-with-head.ts";
import type { Settle } from "../http/settlement.ts";
import { isPromise } from "../http/when-ready.ts";
import { withFields } from "./fetch/fields.ts";
import { keptAlive } from "./fetch/kept-alive.ts";
import { alreadySent } from "./hono/already-sent.ts";
import { keepAddress, outgoingOf } from "./hono/bindings.ts";
import { factsBy } from "./hono/facts.ts";
import { addToResponse, replaceResponse, setOnContext } from "./hono/fields.ts";
import { watchOutcome } from "./hono/outcome.ts";

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
export { factsOf } from "./hono/facts.ts";

declare module "hono" {
  interface ContextVariableMap {
    /** What the limiter decided; `undefined` for a request that was not counted. */
    rateLimit: Decision | undefined;
  }
}

/** What stands in front of the handlers that follow. */
export interface RateLimitOptions<Input> extends GateOptions<Context, Input> {
  /** Answers a denied request itself; status and fields are set, and may be set anew. */
  readonly onDenied?: (context: Context, decision: Denied) => Response | Promise<Response>;
  /**
   * The address of the client's socket, where the server does not tell it as those of Node, Bun and Deno do. It is believed: on a
   * Worker, `(context) => context.req.header("cf-connecting-ip")`.
   */
  readonly remoteAddress?: (context: Context) => string | undefined;
}

/**
 * Puts a limiter in front of the handlers that follow in a Hono application, on Node, Bun, Deno and Workers. A denied request
 * gets 429 with `Retry-After` (whole seconds, rounded up) and `{"error":"rate limit exceeded","retry_after_secs":N}`; all get
 * the RateLimit fields. Handlers find the decision in `context.get("rateLimit")`, that of the last limiter that counted the
 * request. When the limiter or a function of the options throws, the middleware throws the same for `app.onError`, unless
 * `onError` says otherwise.
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
export function rateLimit(options: RateLimitOptions<HttpFacts> & { readonly input?: never }): MiddlewareHandler;
export function rateLimit<Input>(
  options: RateLimitOptions<Input> & { readonly input: (context: Context) => Input | Promise<Input> },
): MiddlewareHandler;
export function rateLimit<Input>(options: RateLimitOptions<Input>): MiddlewareHandler {
  const limit = new HonoLimit(options);
  return (context, next) => limit.handle(context, next);
}

class HonoLimit<Input> {
  readonly #gate: Gate<Context, Input>;
  readonly #onDenied: RateLimitOptions<Input>["onDenied"];

  constructor(options: RateLimitOptions<Input>) {
    this.#gate = new Gate(options, factsBy(options?.remoteAddress), ["remoteAddress"]);
    const { onDenied, remoteAddress } = options;
    if (remoteAddress !== undefined) checkFunction("remoteAddress", remoteAddress, "a function of the context");
    this.#onDenied = onDenied;
  }

  /** What is thrown is for Hono to answer. */
  handle(context: Context, next: Next): ReturnType<MiddlewareHandler> {
    const verdict = this.#gate.check(context);
    if (!isPromise(verdict)) return this.#act(verdict, context, next);
    keepAddress(context);
    return verdict.then((later) => this.#act(later, context, next));
  }

  #act(verdict: Verdict, context: Context, next: Next): ReturnType<MiddlewareHandler> {
    if (verdict.decision !== undefined) context.set("rateLimit", verdict.decision);
    const outgoing = outgoingOf(context);
    if (!verdict.pass) {
      // Somebody else has answered, or begun to, while the store was asked.
      return outgoing?.headersSent === true ? Promise.resolve(alreadySent()) : this.#refuse(verdict, context);
    }
    if (outgoing === undefined) return passAnywhere(verdict, context, next);
    const run = verdict.settle && watchOutcome(outgoing, verdict.settle);
    // A client that went while the store was asked needs no handler.
    if (isGone(outgoing)) return Promise.resolve(alreadySent());
    // Every response has them then, whatever the handler returns, and many times quicker than by a `Headers`.
    sendWithHead(outgoing, verdict.headers);
    return run === undefined
      ? pass(next)
      : run(
          () => pass(next),
          () => (context.finalized ? context.res.status : 0),
        );
  }

  async #refuse({ headers, decision, answer }: Refusal, context: Context): Promise<Response> {
    setOnContext(context, headers);
    const status = answer.status as 429;
    if (this.#onDenied === undefined || decision === undefined) {
      return context.body(answer.body, status, { "Content-Type": answer.contentType });
    }
    context.status(status);
    return withFields(await this.#onDenied(context, decision), headers, decision);
  }
}

/** The handler's turn. */
async function pass(next: Next): Promise<void> {
  // Not returned: where no handler answered, Hono would take what comes for a response.
  await next();
}

/** The handler's turn where only its response can be had. */
async function passAnywhere({ headers, settle }: Pass, context: Context, next: Next): Promise<void> {
  if (settle === undefined) await next();
  else await watch(settle, context, next);
  addToResponse(context, headers);
}

/** The handler's turn, and word of how it ended. */
async function watch(settle: Settle, context: Context, next: Next): Promise<void> {
  const asked = askedBy(context.req.raw);
  const told = keptAlive(settle, lifetimesOf(context));
  try {
    await next();
    // What no handler answered Hono answers, when all middleware is done.
    if (context.finalized) replaceResponse(context, watchResponse(asked, context.res, told));
    else settleFailure(asked, told);
  } catch (error) {
    settleFailure(asked, told);
    throw error;
  }
}

/** What a Worker is handed beside the request; Hono throws where there is none. */
function lifetimesOf(context: Context): readonly unknown[] {
  try {
    return [context.executionCtx];
  } catch {
    return [];
  }
}
