import { checkFunction } from "../core/checks.ts";
import type { Decision, Denied } from "../core/decision.ts";
import { show, TollgateError } from "../core/errors.ts";
import type { HttpFacts } from "../http/facts.ts";
import { Gate, type Refusal } from "../http/gate.ts";
import type { GateOptions } from "../http/gate-options.ts";
import type { HeaderList } from "../http/header-list.ts";
import { askedBy, settleFailure, watchResponse } from "../http/response-outcome.ts";
import type { Settle } from "../http/settlement.ts";
import { isPromise } from "../http/when-ready.ts";
import { factsOf } from "./fetch/facts.ts";
import { withFields } from "./fetch/fields.ts";
import { keptAlive } from "./fetch/kept-alive.ts";
import { type AddressOf, notePeer, peerOf } from "./fetch/peer.ts";

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
export { factsOf } from "./fetch/facts.ts";

/** What a handler may answer: Bun takes `undefined` after an upgrade, the middleware of Next.js takes it for "go on". */
export type FetchAnswer = Response | null | undefined;

/** A handler as runtimes take it: the request first, then whatever the runtime hands over. */
export type FetchHandler<Parameters extends unknown[], Answer extends FetchAnswer> = (
  ...parameters: Parameters
) => Answer | Promise<Answer>;

/** A handler with something in front that may answer in its place. */
export type LimitedHandler<Parameters extends unknown[], Answer extends FetchAnswer> = (
  ...parameters: Parameters
) => Promise<Answer | Response>;

/** What stands in front of a handler. `Native` is the runtime's request, `Others` what it hands over beside. */
export interface RateLimitOptions<Input, Native extends Request = Request, Others extends unknown[] = unknown[]>
  extends GateOptions<Native, Input> {
  /** Answers a denied request itself; the response is given the fields that it has not got. */
  readonly onDenied?: (request: Native, decision: Denied) => Response | Promise<Response>;
  /**
   * The address of the socket's peer, where the runtime does not tell it as Bun and Deno do, from what the handler gets. It is
   * asked once for each request, if at all.
   */
  readonly remoteAddress?: AddressOf<Native, Others>;
}

/** Puts something in front of a handler, whatever the runtime hands it beside the request. */
export type Limit<Native extends Request = Request, Others extends unknown[] = unknown[]> = <
  Parameters extends [request: Native, ...others: Others, ...more: unknown[]],
  Answer extends FetchAnswer,
>(
  handler: FetchHandler<Parameters, Answer>,
) => LimitedHandler<Parameters, Answer>;

/**
 * Puts a limiter in front of a fetch handler, as Workers, Bun, Deno and Next.js take it. A denied request gets 429 with
 * `Retry-After` (whole seconds, rounded up) and `{"error":"rate limit exceeded","retry_after_secs":N}`; all get the RateLimit
 * fields. The handler finds the decision by `decisionOf(request)`. When the limiter or a function of the options throws, the
 * promise is rejected, which is for the runtime to answer, unless `onError` says otherwise. A limited handler always returns a
 * promise.
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
export function rateLimit<Native extends Request = Request, Others extends unknown[] = unknown[]>(
  options: RateLimitOptions<HttpFacts, Native, Others> & { readonly input?: never },
): Limit<Native, Others>;
export function rateLimit<Input, Native extends Request = Request, Others extends unknown[] = unknown[]>(
  options: RateLimitOptions<Input, Native, Others> & { readonly input: (request: Native) => Input | Promise<Input> },
): Limit<Native, Others>;
export function rateLimit<Input>(options: RateLimitOptions<Input>): Limit {
  const limited = new FetchLimit(options);
  return ((handler: FetchHandler<[Request, ...unknown[]], FetchAnswer>) => limited.inFrontOf(handler)) as Limit;
}

/** A request has no place for it. */
const DECISIONS = new WeakMap<Request, Decision>();

/**
 * What the last limiter that counted a request decided; `undefined` for a request that was not counted. It is known for the very
 * object that came to the limiter: not for a copy of it.
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
export function decisionOf(request: Request): Decision | undefined {
  return DECISIONS.get(request);
}

class FetchLimit<Input> {
  readonly #gate: Gate<Request, Input>;
  readonly #onDenied: RateLimitOptions<Input>["onDenied"];
  readonly #addressOf: AddressOf<Request, unknown[]> | undefined;

  constructor(options: RateLimitOptions<Input>) {
    this.#gate = new Gate(options, factsOf, ["remoteAddress"]);
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
      let verdict = this.#gate.check(request);
      if (isPromise(verdict)) {
        peerOf(request)?.keep();
        verdict = await verdict;
      }
      if (verdict.decision !== undefined) DECISIONS.set(request, verdict.decision);
      if (!verdict.pass) return this.#refuse(verdict, request);
      const { headers, settle } = verdict;
      if (settle === undefined) return complete(await handler(request, ...others), headers, request);
      const answering = async () => complete(await handler(request, ...others), headers, request);
      return watch(answering, request, keptAlive(settle, others));
    };
  }

  async #refuse({ answer, decision, headers }: Refusal, request: Request): Promise<Response> {
    if (this.#onDenied !== undefined && decision !== undefined) {
      return complete(await answerBy(this.#onDenied, request, decision), headers, request);
    }
    const { body, contentType, status } = answer;
    return complete(new Response(body, { status, headers: { "Content-Type": contentType } }), headers, request);
  }
}

async function answerBy<Input>(
  onDenied: NonNullable<RateLimitOptions<Input>["onDenied"]>,
  request: Request,
  decision: Denied,
): Promise<Response> {
  const answer: unknown = await onDenied(request, decision);
  if (isResponse(answer)) return answer;
  throw new TollgateError("ERR_OPTION", `onDenied: expected a function that returns a response, got ${show(answer)}`);
}

/** The handler's turn, and word of how it ended. */
async function watch(answering: () => Promise<FetchAnswer>, request: Request, settle: Settle): Promise<FetchAnswer> {
  const asked = askedBy(request);
  try {
    const answer = await answering();
    if (isResponse(answer)) return watchResponse(asked, answer, settle);
    // An upgrade, or somebody else's turn: what is sent is not known here.
    settle({ status: 0, bytes: 0, completed: true });
    return answer;
  } catch (error) {
    settleFailure(asked, settle);
    throw error;
  }
}

function complete<Answer extends FetchAnswer>(
  answer: Answer,
  headers: HeaderList,
  request: Request,
): Answer | Response {
  return isResponse(answer) ? withFields(answer, headers, decisionOf(request)) : answer;
}

/** By its shape: frameworks and copies of a runtime have classes of their own. */
function isResponse(answer: unknown): answer is Response {
  return typeof answer === "object" && answer !== null && "headers" in answer;
}
