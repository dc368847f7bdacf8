import { optionError } from "../../core/check-options.ts";
import { checkFunction, isPromise } from "../../core/checks.ts";
import type { Denied } from "../../core/decision.ts";
import { endAsked, lastAsked } from "../../http/asked.ts";
import { Gate } from "../../http/gate.ts";
import type { FittingInput, GateOptions } from "../../http/gate-options.ts";
import type { HeaderList } from "../../http/header-list.ts";
import type { HttpFacts } from "../../http/http-facts.ts";
import type { RateLimited } from "../../http/rate-limited.ts";
import type { DenialResponse, Pass } from "../../http/verdict.ts";
import { type AddressOf, factsOf, keepAddress, notePeer } from "./fetch-facts.ts";
import { withHeaders } from "./response-headers.ts";
import { answerAndSettle, isResponse } from "./response-outcome.ts";

export * from "../../http/public.ts";
export { factsOf } from "./fetch-facts.ts";

/** What a handler may return. `undefined` means an upgrade to Bun, and "go on" to the middleware of Next.js. */
export type FetchAnswer = Response | null | undefined;

/** A handler as runtimes take it: the request first, then what the runtime hands over. */
export type FetchHandler<Parameters extends unknown[], Answer extends FetchAnswer> = (
  ...parameters: Parameters
) => Answer | Promise<Answer>;

/** A handler with a limiter in front, which may answer in its place. */
export type LimitedHandler<Parameters extends unknown[], Answer extends FetchAnswer> = (
  ...parameters: Parameters
) => Promise<Answer | Response>;

/**
 * The options of a limit in front of a handler. `Native` is the runtime's request, `Others` the handler's other
 * arguments.
 */
export interface RateLimitOptions<Input, Native extends Request = Request, Others extends unknown[] = unknown[]>
  extends Omit<GateOptions<Native, Input>, "requestProperty"> {
  /** Answers a denied request. The adapter adds the headers that the response lacks. */
  readonly onDenied?: (request: Native, decision: Denied) => Response | Promise<Response>;
  /**
   * Finds the address of the socket's peer in the handler's arguments, for runtimes other than Bun and Deno. It is
   * called at most once for each request.
   */
  readonly remoteAddress?: AddressOf<Native, Others>;
}

/** Puts a limiter in front of a handler, with any further arguments. */
export type RateLimitWrapper<Native extends Request = Request, Others extends unknown[] = unknown[]> = <
  Parameters extends [request: Native, ...others: Others, ...more: unknown[]],
  Answer extends FetchAnswer,
>(
  handler: FetchHandler<Parameters, Answer>,
) => LimitedHandler<Parameters, Answer>;

/**
 * Makes a function that puts a limiter in front of fetch handlers, as Workers, Bun, Deno and Next.js take them. A
 * denied request gets 429 with `Retry-After` (whole seconds, rounded up) and `{"error":"rate limit
 * exceeded","retry_after_secs":N}`. All responses have the RateLimit headers. The handler finds the decision by
 * `decisionOf(request)`. A limited handler always returns a promise. When the limiter or a function of the options
 * throws, the promise is rejected and the runtime answers, unless `onError` says otherwise.
 *
 * @throws TollgateError `ERR_OPTION` when an option is not what is expected.
 * @example
 * ```ts
 * import { createLimiter, perMinute } from "tollgate";
 * import { decisionOf, header, rateLimit } from "tollgate/fetch";
 *
 * const limiter = createLimiter({ key: header("x-api-key"), limits: [perMinute(2)] });
 * const handle = rateLimit({ limiter })((request) => new Response(`${decisionOf(request)?.remaining} left`));
 *
 * const ask = () => handle(new Request("https://example.com/", { headers: { "X-API-Key": "ann" } }));
 * console.log(await (await ask()).text()); // 1 left
 * console.log((await ask()).status, (await ask()).status); // 200 429
 * ```
 */
export function rateLimit<Input = HttpFacts, Native extends Request = Request, Others extends unknown[] = unknown[]>(
  options: RateLimitOptions<Input, Native, Others> & FittingInput<Input>,
): RateLimitWrapper<Native, Others>;
export function rateLimit<Input>(options: RateLimitOptions<Input>): RateLimitWrapper {
  const limited = new FetchLimit(options);
  return ((handler: FetchHandler<[Request, ...unknown[]], FetchAnswer>) =>
    limited.inFrontOf(handler)) as RateLimitWrapper;
}

/**
 * The decision of the last limiter that counted a request, and how to settle the request; `undefined` if no limiter
 * counted it. It belongs to the object that came to the limiter: a copy of the request has no decision.
 *
 * @example
 * ```ts
 * import { createLimiter, perHour } from "tollgate";
 * import { decisionOf, rateLimit } from "tollgate/fetch";
 *
 * const limit = rateLimit({ limiter: createLimiter({ key: () => "everybody", limits: [perHour(10)] }) });
 * const handle = limit((request) => Response.json({ left: decisionOf(request)?.remaining }));
 * console.log(await (await handle(new Request("https://example.com/"))).json()); // { left: 9 }
 * ```
 */
export function decisionOf(request: Request): RateLimited | undefined {
  return lastAsked(request)?.decision;
}

class FetchLimit<Input> {
  readonly #gate: Gate<Request, Input, Request>;
  readonly #onDenied: RateLimitOptions<Input>["onDenied"];
  readonly #addressOf: AddressOf<Request, unknown[]> | undefined;

  constructor(options: RateLimitOptions<Input>) {
    const departureOf = ({ signal }: Request) => signal;
    const ownOptions = ["remoteAddress"];
    this.#gate = new Gate(options, { factsOf, keepAddress, departureOf, ownOptions });
    const { onDenied, remoteAddress } = options;
    if (remoteAddress !== undefined) {
      checkFunction("remoteAddress", remoteAddress, "a function of what the handler gets");
    }
    this.#onDenied = onDenied;
    this.#addressOf = remoteAddress;
  }

  inFrontOf(
    handler: FetchHandler<[Request, ...unknown[]], FetchAnswer>,
  ): LimitedHandler<[Request, ...unknown[]], FetchAnswer> {
    checkFunction("handler", handler, "a function of the request");
    return async (request, ...others) => {
      notePeer(request, others, this.#addressOf);
      const checked = this.#gate.check(request, request);
      const verdict = isPromise(checked) ? await checked : checked;
      try {
        return await (verdict.pass ? passTo(handler, verdict, request, others) : this.#deny(verdict, request));
      } finally {
        endAsked(verdict.asked);
      }
    };
  }

  async #deny({ content, decision, headers }: DenialResponse, request: Request): Promise<Response> {
    if (this.#onDenied !== undefined && decision !== undefined) {
      return complete(await answerBy(this.#onDenied, request, decision), headers, request);
    }
    const { body, contentType, status } = content;
    return complete(new Response(body, { status, headers: { "Content-Type": contentType } }), headers, request);
  }
}

function passTo(
  handler: FetchHandler<[Request, ...unknown[]], FetchAnswer>,
  pass: Pass,
  request: Request,
  others: readonly unknown[],
): Promise<FetchAnswer> {
  const answer = async () => complete(await handler(request, ...others), pass.headers, request);
  return answerAndSettle(pass, request, others, answer, "unseen");
}

async function answerBy<Input>(
  onDenied: NonNullable<RateLimitOptions<Input>["onDenied"]>,
  request: Request,
  decision: Denied,
): Promise<Response> {
  const answer: unknown = await onDenied(request, decision);
  if (isResponse(answer)) return answer;
  throw optionError("onDenied", "a function that returns a response", answer);
}

function complete<Answer extends FetchAnswer>(
  answer: Answer,
  headers: HeaderList,
  request: Request,
): Answer | Response {
  return isResponse(answer) ? withHeaders(answer, headers, decisionOf(request)) : answer;
}
