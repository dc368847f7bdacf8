import type { IncomingMessage, ServerResponse } from "node:http";
import type { NextFunction, Request, Response } from "express";
import type { Decision, Denied } from "../core/decision.ts";
import type { HttpFacts } from "../http/facts.ts";
import { Gate, type Refusal, type Verdict } from "../http/gate.ts";
import type { GateOptions } from "../http/gate-options.ts";
import { isGone } from "../http/outgoing.ts";
import { handOver } from "../http/thrown-error.ts";
import { isPromise } from "../http/when-ready.ts";
import { takingBack } from "./express/take-back.ts";
import { factsAt } from "./node/facts.ts";
import { keepAddress } from "./node/kept-address.ts";
import { watchOutcome } from "./node/outcome.ts";
import { sendAnswer, setHeaders } from "./node/response.ts";

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

// A request of Express is one of node:http.
declare module "node:http" {
  interface IncomingMessage {
    /** What the limiter decided; `undefined` for a request that was not counted. */
    rateLimit?: Decision | undefined;
  }
}

/** What stands in front of a route. */
export interface RateLimitOptions<Input> extends GateOptions<Request, Input> {
  /**
   * Answers a denied request itself; status and fields are set, and may be set anew. `next()` lets it pass, and takes back the
   * status, `Retry-After` and `Cache-Control`. What it throws, at once or later, goes to the error handlers.
   */
  readonly onDenied?: (request: Request, response: Response, decision: Denied, next: NextFunction) => unknown;
}

/** A `RequestHandler` for whatever route: it asks nothing of the types of its parameters and body. */
export type RateLimitHandler = (request: IncomingMessage, response: ServerResponse, next: NextFunction) => void;

/**
 * The neutral view of a request of Express. Its path is that of `originalUrl`: whole, also in a router that is mounted
 * somewhere, where `request.path` has lost the part in front.
 */
export function factsOf(request: Request): HttpFacts {
  return factsAt(request, request.originalUrl);
}

/**
 * Puts a limiter in front of what follows in an Express application, of version 4 or 5: of all of it by `app.use`, or of one
 * route. A denied request gets 429 with `Retry-After` (whole seconds, rounded up) and
 * `{"error":"rate limit exceeded","retry_after_secs":N}`; all get the RateLimit fields. What follows finds the decision in
 * `request.rateLimit`, that of the last limiter that counted the request. When the limiter or a function of the options throws,
 * the error goes to the error handlers by `next(error)`, unless `onError` says otherwise. Express' own `trust proxy` and
 * `request.ip` play no part: whose word is taken is said by `trustProxy`.
 *
 * @throws TollgateError `ERR_OPTION` when an option is not what is expected.
 * @example
 * ```ts
 * import { once } from "node:events";
 * import type { AddressInfo } from "node:net";
 * import express from "express";
 * import { createLimiter, perMinute } from "tollgate";
 * import { clientIp, rateLimit } from "tollgate/express";
 *
 * const app = express();
 * app.use(rateLimit({ limiter: createLimiter({ key: clientIp(), limits: [perMinute(2)] }) }));
 * app.get("/", (request, response) => void response.send(`${request.rateLimit?.remaining} left`));
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
export function rateLimit(options: RateLimitOptions<HttpFacts> & { readonly input?: never }): RateLimitHandler;
export function rateLimit<Input>(
  options: RateLimitOptions<Input> & { readonly input: (request: Request) => Input | Promise<Input> },
): RateLimitHandler;
export function rateLimit<Input>(options: RateLimitOptions<Input>): RateLimitHandler {
  const limit = new ExpressLimit(options);
  return (request, response, next) => limit.handle(request as Request, response as Response, next);
}

class ExpressLimit<Input> {
  readonly #gate: Gate<Request, Input>;
  readonly #onDenied: RateLimitOptions<Input>["onDenied"];

  constructor(options: RateLimitOptions<Input>) {
    this.#gate = new Gate(options, factsOf);
    this.#onDenied = options.onDenied;
  }

  handle(request: Request, response: Response, next: NextFunction): void {
    let verdict: Verdict | Promise<Verdict>;
    try {
      verdict = this.#gate.check(request);
    } catch (error) {
      handOver(error, next);
      return;
    }
    if (isPromise(verdict)) {
      keepAddress(request);
      void verdict.then(
        (later) => this.#act(later, request, response, next),
        (error: unknown) => handOver(error, next),
      );
    } else this.#act(verdict, request, response, next);
  }

  #act(verdict: Verdict, request: Request, response: Response, next: NextFunction): void {
    if (verdict.decision !== undefined) request.rateLimit = verdict.decision;
    if (!verdict.pass) {
      this.#refuse(verdict, request, response, next);
      return;
    }
    if (verdict.settle !== undefined) watchOutcome(response, verdict.settle);
    // A client that went while the store was asked needs no handler: its 'close' is over, nobody would clean up.
    if (isGone(response)) return;
    setHeaders(response, verdict.headers);
    next();
  }

  #refuse(refusal: Refusal, request: Request, response: Response, next: NextFunction): void {
    const { headers, decision, answer } = refusal;
    // Somebody else has answered, or begun to, while the store was asked.
    if (response.headersSent) return;
    if (this.#onDenied === undefined || decision === undefined) {
      setHeaders(response, headers);
      sendAnswer(response, answer);
      return;
    }
    const passOn = takingBack(response, refusal, next);
    setHeaders(response, headers);
    response.statusCode = answer.status;
    try {
      const answered = this.#onDenied(request, response, decision, passOn);
      // Express 4 does not look at promises.
      if (isPromise(answered)) answered.then(undefined, (error: unknown) => handOver(error, passOn));
    } catch (error) {
      handOver(error, passOn);
    }
  }
}
