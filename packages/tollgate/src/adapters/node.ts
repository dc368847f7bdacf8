import type { IncomingMessage, ServerResponse } from "node:http";
import { checkFunction } from "../core/check-function.ts";
import { show, TollgateError } from "../core/errors.ts";
import { failureAnswer, type HttpAnswer } from "../http/answer.ts";
import type { HttpFacts } from "../http/facts.ts";
import { type AsyncGate, openGate, type Verdict } from "../http/gate.ts";
import type { AsyncLimiter, Limiter } from "../limiter/limiter.ts";

export type { HttpFacts } from "../http/facts.ts";

/** A handler of `node:http`; it may be asynchronous. */
export type NodeHandler = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

/** A handler as `createServer` takes it. */
export type LimitedHandler = (request: IncomingMessage, response: ServerResponse) => void;

/** What stands in front of a handler. */
export interface RateLimitOptions<Input> {
  readonly limiter: Limiter<Input> | AsyncLimiter<Input>;
  /** What the limiter is asked about; by default the `HttpFacts` of the request. */
  readonly input?: (request: IncomingMessage) => Input;
  /** Hears what the limiter or its key function threw: by default the process, as a warning. */
  readonly reportError?: (error: unknown, request: IncomingMessage) => void;
}

/**
 * Puts a limiter in front of a `node:http` handler. A denied request gets 429 with `Retry-After` (whole seconds, rounded
 * up) and `{"error":"rate limit exceeded","retry_after_secs":N}`. When the limiter or its key function throws, the client
 * gets 500 with a JSON error and no stack. The handler's own errors are left to the server.
 *
 * @throws TollgateError `ERR_OPTION` when an option is not what is expected.
 * @example
 * ```ts
 * import { once } from "node:events";
 * import { createServer } from "node:http";
 * import { createLimiter, perMinute } from "tollgate";
 * import { type HttpFacts, rateLimit } from "tollgate/node";
 *
 * const limiter = createLimiter({
 *   key: (request: HttpFacts) => request.remoteAddress ?? "unknown",
 *   limits: [perMinute(2)],
 * });
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
export function rateLimit(
  options: RateLimitOptions<HttpFacts> & { readonly input?: never },
): (handler: NodeHandler) => LimitedHandler;
export function rateLimit<Input>(
  options: RateLimitOptions<Input> & { readonly input: (request: IncomingMessage) => Input },
): (handler: NodeHandler) => LimitedHandler;
export function rateLimit<Input>(options: RateLimitOptions<Input>): (handler: NodeHandler) => LimitedHandler {
  checkOptions(options);
  const gate = openGate(options.limiter);
  const input = options.input ?? (factsOf as (request: IncomingMessage) => Input);
  const reportError = options.reportError ?? warn;
  return (handler) => {
    checkFunction("handler", handler, "a function of request and response");
    return (request, response) => {
      const fail = (error: unknown) => {
        send(response, failureAnswer());
        reportError(error, request);
      };
      // What the handler throws stays the server's business: only the limiter's failures are answered here.
      const proceed = (verdict: Verdict) =>
        verdict.pass ? handler(request, response) : send(response, verdict.answer);
      if (gate.kind === "async") {
        // A client that went while the store was asked needs no handler: its 'close' is over, nobody would clean up.
        const proceedIfThere = (verdict: Verdict) => (response.destroyed ? undefined : proceed(verdict));
        void askLater(gate, input, request).then(proceedIfThere, fail);
        return;
      }
      let verdict: Verdict;
      try {
        verdict = gate.check(input(request));
      } catch (error) {
        fail(error);
        return;
      }
      void proceed(verdict);
    };
  };
}

/** A promise even when the key function throws at once. */
async function askLater<Input>(
  gate: AsyncGate<Input>,
  input: (request: IncomingMessage) => Input,
  request: IncomingMessage,
): Promise<Verdict> {
  return gate.check(input(request));
}

/** The neutral view of a `node:http` request. */
export function factsOf(request: IncomingMessage): HttpFacts {
  const url = request.url ?? "/";
  const query = url.indexOf("?");
  return {
    method: request.method ?? "GET",
    path: query < 0 ? url : url.slice(0, query),
    remoteAddress: request.socket.remoteAddress || undefined,
    header: (name) => {
      const headers = request.headers;
      const field = name.toLowerCase();
      const value = Object.hasOwn(headers, field) ? headers[field] : undefined;
      return Array.isArray(value) ? value.join(", ") : value;
    },
  };
}

function send(response: ServerResponse, { status, headers, body }: HttpAnswer): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, { ...headers, "content-length": Buffer.byteLength(body) });
  response.end(body);
}

function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : show(error));
}

function checkOptions(options: unknown): void {
  if (typeof options !== "object" || options === null) {
    throw new TollgateError("ERR_OPTION", `rateLimit: expected an object of options, got ${show(options)}`);
  }
  const { input, reportError } = options as { readonly input?: unknown; readonly reportError?: unknown };
  if (input !== undefined) checkFunction("input", input, "a function of the request");
  if (reportError !== undefined) checkFunction("reportError", reportError, "a function of error and request");
}
