import type { IncomingMessage, ServerResponse } from "node:http";
import { checkFunction } from "../../core/checks.ts";
import type { Denied } from "../../core/decision.ts";
import type { Departure } from "../../http/departure.ts";
import { Gate } from "../../http/gate.ts";
import type { FittingInput, GateOptions } from "../../http/gate-options.ts";
import { NO_STORE } from "../../http/header-list.ts";
import type { HttpFacts } from "../../http/http-facts.ts";
import { isGone, type Outgoing } from "../../http/outgoing.ts";
import type { RateLimited } from "../../http/rate-limited.ts";
import { sendWithHead } from "../../http/send-with-head.ts";
import { type DenialResponse, FAILURE, type Verdict } from "../../http/verdict.ts";
import { attach, factsOf, keepAddress } from "./node-facts.ts";
import { cutOff, departureOf, sendContent, sendDenial, setHeaders, watchOutcome } from "./node-response.ts";
import {
  type LimitedUpgradeListener,
  limitUpgrades,
  type UpgradedSocket,
  type UpgradeListener,
  upgradeDeparture,
} from "./upgrade.ts";

export * from "../../http/public.ts";
export { factsOf } from "./node-facts.ts";
export type { LimitedUpgradeListener, UpgradeListener } from "./upgrade.ts";

declare module "node:http" {
  interface IncomingMessage {
    /** The limiter's decision, and how to settle the request; `undefined` if it was not counted. */
    rateLimit?: RateLimited | undefined;
  }
}

declare module "node:http2" {
  interface Http2ServerRequest {
    /** The limiter's decision, and how to settle the request; `undefined` if it was not counted. */
    rateLimit?: RateLimited | undefined;
  }
}

/** A handler of `node:http`, or of `node:http2` in its compatible form. It may be asynchronous. */
export type NodeHandler<Request = IncomingMessage, Response = ServerResponse> = (
  request: Request,
  response: Response,
) => void | Promise<void>;

/** A handler as `createServer` takes it. */
export type LimitedHandler<Request = IncomingMessage, Response = ServerResponse> = (
  request: Request,
  response: Response,
) => void;

/** The options of a limit in front of a handler. */
export interface RateLimitOptions<Input> extends GateOptions<IncomingMessage, Input> {
  /** Answers a denied request. Status and headers are set already, and may be changed. */
  readonly onDenied?: (request: IncomingMessage, response: ServerResponse, decision: Denied) => void | Promise<void>;
}

/** Puts a limiter in front of a handler, for HTTP/1 and HTTP/2. */
export interface RateLimitWrapper {
  <Request = IncomingMessage, Response = ServerResponse>(
    handler: NodeHandler<Request, Response>,
  ): LimitedHandler<Request, Response>;
  /**
   * Puts the same limiter in front of a listener for `"upgrade"` or `"connect"` of an HTTP/1.1 server, such as one for
   * WebSocket handshakes. Node hands such requests to this listener instead of the request handler. The listener finds
   * the decision in `request.rateLimit`. A denied client gets a complete response on the socket, which is then closed.
   * `onDenied` and `chargeAfter` are not called, because there is no response object: what was taken stands. A place
   * under a limit on concurrency is freed when the listener has returned, its promise is settled, or the socket has
   * closed. Errors of the socket are ignored unless the listener handles them.
   *
   * @throws TollgateError `ERR_OPTION` unless the listener is a function.
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
 * Makes a function that puts a limiter in front of `node:http` handlers. A denied request gets 429 with `Retry-After`
 * (whole seconds, rounded up) and `{"error":"rate limit exceeded","retry_after_secs":N}`. All responses have the
 * RateLimit headers. The handler finds the decision in `request.rateLimit`. When the limiter or a function of the
 * options throws, the client gets 500 with a JSON error and no stack, unless `onError` says otherwise. The server
 * handles the handler's own errors.
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
export function rateLimit<Input = HttpFacts>(options: RateLimitOptions<Input> & FittingInput<Input>): RateLimitWrapper;
export function rateLimit<Input>(options: RateLimitOptions<Input>): RateLimitWrapper {
  const limited = new NodeLimit(options);
  // HTTP/2 requests in the compatible form have all properties that the limiter reads.
  const inFrontOf = (handler: NodeHandler) => limited.inFrontOf(handler);
  const upgrade = (listener: UpgradeListener) => limited.inFrontOfUpgrades(listener);
  return Object.assign(inFrontOf, { upgrade }) as RateLimitWrapper;
}

function departureFrom(client: ServerResponse | UpgradedSocket): Departure {
  return "upgraded" in client ? upgradeDeparture(client) : departureOf(client);
}

class NodeLimit<Input> {
  readonly #gate: Gate<IncomingMessage, Input, ServerResponse | UpgradedSocket>;
  readonly #onDenied: RateLimitOptions<Input>["onDenied"];

  constructor(options: RateLimitOptions<Input>) {
    this.#gate = new Gate(options, { factsOf, keepAddress, departureOf: departureFrom, attach });
    this.#onDenied = options.onDenied;
  }

  inFrontOf(handler: NodeHandler): LimitedHandler {
    checkFunction("handler", handler, "a function of request and response");
    // The server handles what the handler throws. Only failures of the limiter are answered here.
    return (request, response) => {
      this.#gate.decide(
        request,
        response,
        (verdict) => this.#act(verdict, handler, request, response),
        (error) => this.#fail(error, request, response),
      );
    };
  }

  inFrontOfUpgrades(listener: UpgradeListener): LimitedUpgradeListener {
    return limitUpgrades(this.#gate, listener);
  }

  #act(
    verdict: Verdict,
    handler: NodeHandler,
    request: IncomingMessage,
    response: ServerResponse,
  ): void | Promise<void> {
    if (!verdict.pass) return this.#deny(verdict, request, response);
    const run = watchOutcome(response, verdict);
    // No handler for a client that has gone: the response's 'close' event is over, so the handler could not clean up.
    if (isGone(response)) return undefined;
    sendWithHead(response as unknown as Outgoing, verdict.headers, verdict.asked);
    return run === undefined ? handler(request, response) : run(() => handler(request, response));
  }

  #deny(denial: DenialResponse, request: IncomingMessage, response: ServerResponse): void {
    const { decision } = denial;
    const onDenied = this.#onDenied;
    const answer = onDenied && decision && ((): unknown => onDenied(request, response, decision));
    sendDenial(response, denial, answer, (error) => this.#fail(error, request, response));
  }

  #fail(error: unknown, request: IncomingMessage, response: ServerResponse): void {
    // Half a response is cut off: its rest will never come.
    if (response.headersSent && !response.writableEnded) cutOff(response);
    setHeaders(response, [NO_STORE]);
    sendContent(response, FAILURE);
    this.#gate.logError(error, request);
  }
}
