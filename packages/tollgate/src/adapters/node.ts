import type { IncomingMessage, ServerResponse } from "node:http";
import { checkFunction } from "../core/checks.ts";
import type { Decision, Denied } from "../core/decision.ts";
import { FAILURE } from "../http/answer.ts";
import type { HttpFacts } from "../http/facts.ts";
import { Gate, type Refusal, type Verdict } from "../http/gate.ts";
import type { GateOptions } from "../http/gate-options.ts";
import { NO_STORE } from "../http/header-list.ts";
import { isGone, type Outgoing } from "../http/outgoing.ts";
import { guardedReporter, type Reporter } from "../http/report-error.ts";
import { sendWithHead } from "../http/send-with-head.ts";
import { isPromise } from "../http/when-ready.ts";
import { factsOf } from "./node/facts.ts";
import { keepAddress } from "./node/kept-address.ts";
import { watchOutcome } from "./node/outcome.ts";
import { cutOff, sendAnswer, setHeaders } from "./node/response.ts";
import { type LimitedUpgradeListener, limitUpgrades, type UpgradeListener } from "./node/upgrade.ts";

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
export { factsOf } from "./node/facts.ts";
export type { LimitedUpgradeListener, UpgradeListener } from "./node/upgrade.ts";

declare module "node:http" {
  interface IncomingMessage {
    /** What the limiter decided; `undefined` for a request that was not counted. */
    rateLimit?: Decision | undefined;
  }
}

declare module "node:http2" {
  interface Http2ServerRequest {
    /** What the limiter decided; `undefined` for a request that was not counted. */
    rateLimit?: Decision | undefined;
  }
}

/** A handler of `node:http`, or of `node:http2` in its compatible form; it may be asynchronous. */
export type NodeHandler<Request = IncomingMessage, Response = ServerResponse> = (
  request: Request,
  response: Response,
) => void | Promise<void>;

/** A handler as `createServer` takes it. */
export type LimitedHandler<Request = IncomingMessage, Response = ServerResponse> = (
  request: Request,
  response: Response,
) => void;

/** What stands in front of a handler. */
export interface RateLimitOptions<Input> extends GateOptions<IncomingMessage, Input> {
  /** Answers a denied request itself; status and fields are set, and may be set anew. */
  readonly onDenied?: (request: IncomingMessage, response: ServerResponse, decision: Denied) => void | Promise<void>;
}

/** Puts something in front of a handler, of whichever HTTP version. */
export interface Limit {
  <Request = IncomingMessage, Response = ServerResponse>(
    handler: NodeHandler<Request, Response>,
  ): LimitedHandler<Request, Response>;
  /**
   * Puts the same in front of a listener for `"upgrade"` or `"connect"` of an HTTP/1.1 server, such as one for
   * WebSocket handshakes: to a server that has one Node hands no such request as an ordinary one. The listener finds
   * the decision in `request.rateLimit`. A denied client gets the whole response on the socket, which is closed then.
   * `onDenied` and `chargeAfter` are not asked: there is no response that they could write or learn of, so what was
   * taken stands. Errors of the socket are ignored unless the listener handles them.
   *
   * @throws TollgateError `ERR_OPTION` when the listener is no function.
   * @example
   * ```ts
   * import { once } from "node:events";
   * import { createServer, request } from "node:http";
   * import { createLimiter, perMinute } from "tollgate";
   * import { clientIp, rateLimit } from "tollgate/node";
   *
   * const limit = rateLimit({ limiter: createLimiter({ key: clientIp(), limits: [perMinute(1)] }) });
   * const server = createServer(limit((_request, response) => void response.end("hello")));
   * const answer = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n";
   * server.on("upgrade", limit.upgrade((_request, socket) => void socket.end(answer)));
   * await once(server.listen(0, "127.0.0.1"), "listening");
   *
   * const { port } = server.address() as { port: number };
   * const headers = { Connection: "Upgrade", Upgrade: "echo" };
   * const ask = () => request({ port, host: "127.0.0.1", headers, agent: false }).end();
   * const [upgraded] = await once(ask(), "upgrade");
   * const [denied] = await once(ask(), "response");
   * console.log(upgraded.statusCode, denied.statusCode, denied.headers["retry-after"]); // 101 429 60
   * server.close();
   * server.closeAllConnections();
   * ```
   */
  readonly upgrade: (listener: UpgradeListener) => LimitedUpgradeListener;
}

/**
 * Puts a limiter in front of a `node:http` handler. A denied request gets 429 with `Retry-After` (whole seconds, rounded
 * up) and `{"error":"rate limit exceeded","retry_after_secs":N}`; all get the RateLimit fields. When the limiter or a function
 * of the options throws, the client gets 500 with a JSON error and no stack, unless `onError` says otherwise. The handler finds
 * the decision in `request.rateLimit`. Its own errors are left to the server.
 *
 * @throws TollgateError `ERR_OPTION` when an option is not what is expected.
 * @example
 * ```ts
 * import { once } from "node:events";
 * import { createServer } from "node:http";
 * import { createLimiter, perMinute } from "tollgate";
 * import { clientIp, rateLimit } from "tollgate/node";
 *
 * const limiter = createLimiter({ key: clientIp(), limits: [perMinute(2)] });
 * const server = createServer(rateLimit({ limiter })((_request, response) => void response.end("hello")));
 * await once(server.listen(0, "127.0.0.1"), "listening");
 *
 * const { port } = server.address() as { port: number };
 * const statuses: number[] = [];
 * for (let i = 0; i < 3; i += 1) statuses.push((await fetch(`http://127.0.0.1:${port}/`)).status);
 * console.log(statuses); // [ 200, 200, 429 ]
 * server.close();
 * server.closeAllConnections();
 * ```
 */
export function rateLimit(options: RateLimitOptions<HttpFacts> & { readonly input?: never }): Limit;
export function rateLimit<Input>(
  options: RateLimitOptions<Input> & { readonly input: (request: IncomingMessage) => Input | Promise<Input> },
): Limit;
export function rateLimit<Input>(options: RateLimitOptions<Input>): Limit {
  const limited = new NodeLimit(options);
  // Requests of HTTP/2 in the compatible form have all that is asked of them.
  const inFrontOf = (handler: NodeHandler) => limited.inFrontOf(handler);
  const upgrade = (listener: UpgradeListener) => limited.inFrontOfUpgrades(listener);
  return Object.assign(inFrontOf, { upgrade }) as Limit;
}

class NodeLimit<Input> {
  readonly #gate: Gate<IncomingMessage, Input>;
  readonly #onDenied: RateLimitOptions<Input>["onDenied"];
  readonly #report: Reporter<IncomingMessage>;

  constructor(options: RateLimitOptions<Input>) {
    this.#gate = new Gate(options, factsOf);
    this.#onDenied = options.onDenied;
    this.#report = guardedReporter(options.reportError);
  }

  inFrontOf(handler: NodeHandler): LimitedHandler {
    checkFunction("handler", handler, "a function of request and response");
    return (request, response) => {
      let verdict: Verdict | Promise<Verdict>;
      try {
        verdict = this.#gate.check(request);
      } catch (error) {
        this.#fail(error, request, response);
        return;
      }
      // What the handler throws stays the server's business: only the limiter's failures are answered here.
      if (isPromise(verdict)) {
        keepAddress(request);
        const act = (later: Verdict) => this.#act(later, handler, request, response);
        void verdict.then(act, (error: unknown) => this.#fail(error, request, response));
      } else void this.#act(verdict, handler, request, response);
    };
  }

  inFrontOfUpgrades(listener: UpgradeListener): LimitedUpgradeListener {
    return limitUpgrades(this.#gate, this.#report, listener);
  }

  #act(
    verdict: Verdict,
    handler: NodeHandler,
    request: IncomingMessage,
    response: ServerResponse,
  ): void | Promise<void> {
    // A limiter that counted nothing leaves standing what one in front of it decided.
    if (verdict.decision !== undefined) request.rateLimit = verdict.decision;
    if (!verdict.pass) return this.#refuse(verdict, request, response);
    const run = verdict.settle && watchOutcome(response, verdict.settle);
    // A client that went while the store was asked needs no handler: its 'close' is over, nobody would clean up.
    if (isGone(response)) return undefined;
    sendWithHead(response as unknown as Outgoing, verdict.headers);
    return run === undefined ? handler(request, response) : run(() => handler(request, response));
  }

  #refuse({ headers, answer, decision }: Refusal, request: IncomingMessage, response: ServerResponse): void {
    // Somebody else has answered, or begun to, while the store was asked.
    if (response.headersSent) return;
    setHeaders(response, headers);
    if (this.#onDenied === undefined || decision === undefined) {
      sendAnswer(response, answer);
      return;
    }
    response.statusCode = answer.status;
    const fail = (error: unknown) => this.#fail(error, request, response);
    try {
      const written: void | Promise<void> = this.#onDenied(request, response, decision);
      if (isPromise(written)) written.then(undefined, fail);
    } catch (error) {
      fail(error);
    }
  }

  #fail(error: unknown, request: IncomingMessage, response: ServerResponse): void {
    // Half an answer is cut off: nobody will write the rest.
    if (response.headersSent && !response.writableEnded) cutOff(response);
    setHeaders(response, [NO_STORE]);
    sendAnswer(response, FAILURE);
    this.#report(error, request);
  }
}
