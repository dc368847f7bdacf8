import type { ServerResponse } from "node:http";
import type { ExecutionContext } from "@nestjs/common";
import { TollgateError } from "../../core/errors.ts";
import { mapMaybeAsync } from "../../core/maybe-async.ts";
import { Gate } from "../../http/gate.ts";
import { isGone } from "../../http/outgoing.ts";
import { DEPARTED, type DenialResponse, type Pass, type Verdict } from "../../http/verdict.ts";
import { attach, keepAddress } from "../node/node-facts.ts";
import { departureOf, watchOutcome } from "../node/node-response.ts";
import { type Exchange, exchangeBehind, factsOf, nodeRequestOf, nodeResponseOf, setHeaders } from "./nest-request.ts";
import type { RouteRateLimit } from "./options.ts";
import { RateLimitException } from "./rate-limit-exception.ts";

/** One limit, in front of calls by any transport. */
export class NestLimit {
  readonly #gate: Gate<ExecutionContext, unknown, ServerResponse | undefined>;
  readonly #onDenied: RouteRateLimit["onDenied"];
  /** Nest makes a context for each call, and passes it to all guards. */
  readonly #seen = new WeakSet<ExecutionContext>();

  /** @throws TollgateError `ERR_OPTION` when an option is not what is expected. */
  constructor(options: RouteRateLimit) {
    this.#gate = new Gate(options, {
      factsOf,
      // The fields of a GraphQL operation and the messages of a client are calls of their own.
      exchangeOf: (context) => (context.getType() === "http" ? nodeRequestOf(context) : context),
      keepAddress: (context) => keepAddress(nodeRequestOf(context)),
      departureOf: (response) => response && departureOf(response),
      attach: (context, property, decision) => attach(exchangeBehind(context).request ?? {}, property, decision),
    });
    this.#onDenied = options.onDenied;
  }

  /** Passes, or throws what the client is to get. */
  check(context: ExecutionContext): boolean | Promise<boolean> {
    if (this.#seen.has(context)) return true;
    this.#seen.add(context);
    const exchange = exchangeBehind(context);
    const verdict = this.#gate.check(context, nodeResponseOf(exchange));
    return mapMaybeAsync<Verdict, boolean>(verdict, (known) => this.#act(known, context, exchange));
  }

  #act(verdict: Verdict, context: ExecutionContext, exchange: Exchange): boolean | Promise<never> {
    const { response } = exchange;
    const outgoing = nodeResponseOf(exchange);
    if (verdict.pass) watch(verdict, outgoing);
    if (outgoing !== undefined && (isGone(outgoing) || (!verdict.pass && outgoing.headersSent))) {
      // The client has gone, or other code has answered: nothing is called any more, as behind other adapters.
      if (context.getType() === "http") return new Promise(() => {});
      throw new RateLimitException(DEPARTED, undefined);
    }
    if (response !== undefined && outgoing?.headersSent !== true) setHeaders(response, verdict.headers);
    return verdict.pass || this.#deny(verdict, context, exchange);
  }

  async #deny({ content, decision }: DenialResponse, context: ExecutionContext, exchange: Exchange): Promise<never> {
    const own = decision && (await this.#onDenied?.(context, decision));
    if (own !== undefined) throw own;
    const exception = new RateLimitException(content, decision);
    if (context.getType() === "ws") return denyMessage(context.getArgByIndex(0), exception);
    // Nest adds the type of JSON only.
    const type: [string, string] = ["Content-Type", content.contentType];
    if (context.getType() === "http" && exchange.response !== undefined) setHeaders(exchange.response, [type]);
    throw exception;
  }
}

/** Settles a call, and frees its places, by the response. */
function watch(passed: Pass, outgoing: ServerResponse | undefined): void {
  if (outgoing !== undefined) watchOutcome(outgoing, passed);
  else if (passed.places !== undefined) {
    passed.places.hold()();
    throw new TollgateError(
      "ERR_OPTION",
      "limiter: expected limits without concurrency for calls that have no response, as messages, got one with it",
    );
  }
}

interface MessageClient {
  /** Only clients of socket.io have it, and get the exceptions that Nest emits. */
  readonly handshake?: unknown;
  readonly send?: (text: string) => void;
}

/** Nest tells clients of `WsException` only, and those of plain websockets nothing. */
async function denyMessage(client: MessageClient, { message, decision }: RateLimitException): Promise<never> {
  const { WsException } = await import("@nestjs/websockets");
  const data = { status: "error", message, retryAfterMs: decision?.retryAfterMs ?? null };
  if (client.handshake === undefined) client.send?.(JSON.stringify({ event: "exception", data }));
  throw new WsException(data);
}
