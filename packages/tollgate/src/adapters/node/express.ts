import type { IncomingMessage, ServerResponse } from "node:http";
import type { NextFunction, Request, Response } from "express";
import type { Denied } from "../../core/decision.ts";
import { toError } from "../../http/error-log.ts";
import { Gate } from "../../http/gate.ts";
import type { FittingInput, GateOptions } from "../../http/gate-options.ts";
import type { HttpFacts } from "../../http/http-facts.ts";
import { isGone } from "../../http/outgoing.ts";
import type { RateLimited } from "../../http/rate-limited.ts";
import type { DenialResponse, Verdict } from "../../http/verdict.ts";
import { attach, factsAt, keepAddress } from "./node-facts.ts";
import { departureOf, sendDenial, setHeaders, watchOutcome } from "./node-response.ts";

export * from "../../http/public.ts";

// Express passes the request of node:http on.
declare module "node:http" {
  interface IncomingMessage {
    /** The limiter's decision, and how to settle the request; `undefined` if it was not counted. */
    rateLimit?: RateLimited | undefined;
  }
}

/** The options of a limit in front of a route or an application. */
export interface RateLimitOptions<Input> extends GateOptions<Request, Input> {
  /**
   * Answers a denied request. Status and headers are set already, and may be changed. `next()` lets the request pass,
   * and restores the status, `Retry-After` and `Cache-Control`. The error handlers get what this function throws, at
   * once or later.
   */
  readonly onDenied?: (request: Request, response: Response, decision: Denied, next: NextFunction) => unknown;
}

/** A `RequestHandler` that fits every route, whatever the types of its parameters and body. */
export type RateLimitHandler = (request: IncomingMessage, response: ServerResponse, next: NextFunction) => void;

/**
 * The neutral view of an Express request. Its path is that of `originalUrl`: it is whole even in a mounted router,
 * where `request.path` lacks the mount path.
 *
 * @example
 * ```ts
 * import { once } from "node:events";
 * import type { AddressInfo } from "node:net";
 * import express from "express";
 * import { createLimiter, perHour } from "tollgate";
 * import { clientIp, factsOf } from "tollgate/express";
 *
 * const failures = createLimiter({ key: clientIp(), limits: [perHour(1)] });
 * const app = express();
 * app.get("/login", (request, response) => {
 *   response.sendStatus(failures.allow(factsOf(request)) ? 401 : 429);
 * });
 * const server = app.listen(0, "127.0.0.1");
 * await once(server, "listening");
 *
 * const { port } = server.address() as AddressInfo;
 * const login = async () => (await fetch(`http://127.0.0.1:${port}/login`)).status;
 * console.log(await login(), await login()); // 401 429
 * server.close();
 * server.closeAllConnections();
 * ```
 */
export function factsOf(request: Request): HttpFacts {
  return factsAt(request, request.originalUrl);
}

/**
 * Makes a middleware that limits requests, for Express 4 and 5. `app.use` limits a whole application, and an argument
 * of a route limits that route. A denied request gets 429 with `Retry-After` (whole seconds, rounded up) and
 * `{"error":"rate limit exceeded","retry_after_secs":N}`. All responses have the RateLimit headers. Later handlers find
 * the decision of the last limiter that counted the request in `request.rateLimit`. When the limiter or a function of
 * the options throws, `next(error)` gets the error, unless `onError` says otherwise. Express' own `trust proxy` and
 * `request.ip` are ignored: see `clientIp`.
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
export function rateLimit<Input = HttpFacts>(options: RateLimitOptions<Input> & FittingInput<Input>): RateLimitHandler;
export function rateLimit<Input>(options: RateLimitOptions<Input>): RateLimitHandler {
  const gate = new Gate(options, { factsOf, keepAddress, departureOf, attach });
  const { onDenied } = options;
  const limit = (request: Request, response: Response, next: NextFunction): void => {
    const act = (verdict: Verdict): void => {
      if (!verdict.pass) {
        deny(verdict, onDenied, request, response, next);
        return;
      }
      watchOutcome(response, verdict);
      // No handler for a client that has gone: the response's 'close' event is over, so the handler could not clean up.
      if (isGone(response)) return;
      setHeaders(response, verdict.headers);
      next();
    };
    gate.decide(request, response, act, (error) => next(toError(error)));
  };
  return limit as RateLimitHandler;
}

function deny<Input>(
  denial: DenialResponse,
  onDenied: RateLimitOptions<Input>["onDenied"],
  request: Request,
  response: Response,
  next: NextFunction,
): void {
  const { decision } = denial;
  const proceed = proceedAfter(denial, response, next);
  const answer = onDenied && decision && (() => onDenied(request, response, decision, proceed));
  // Express 4 ignores promises, so this adapter handles their rejection.
  sendDenial(response, denial, answer, (error) => proceed(toError(error)));
}

/** The headers that are only true of a denial. Those about limits are true of any response. */
const DENIAL_HEADERS: readonly string[] = ["Retry-After", "Cache-Control"];

/**
 * Makes the `next` for `onDenied`. Must be called before status and headers of the denial are set: it restores what it
 * finds, unless `onDenied` has changed it. Otherwise a route or an error handler would answer with the denial's 429.
 */
function proceedAfter(
  { headers, content }: DenialResponse,
  response: ServerResponse,
  next: NextFunction,
): NextFunction {
  const { statusCode } = response;
  const own = headers.filter(([name]) => DENIAL_HEADERS.includes(name));
  const before = own.map(([name]) => response.getHeader(name));
  const restore = () => {
    if (response.headersSent) return;
    if (response.statusCode === content.status) response.statusCode = statusCode;
    for (const [index, [name, value]] of own.entries()) {
      if (response.getHeader(name) === value) restoreHeader(response, name, before[index]);
    }
  };
  return (...parameters: unknown[]) => {
    restore();
    (next as (...parameters: unknown[]) => void)(...parameters);
  };
}

function restoreHeader(response: ServerResponse, name: string, value: number | string | string[] | undefined): void {
  if (value === undefined) response.removeHeader(name);
  else response.setHeader(name, value);
}
