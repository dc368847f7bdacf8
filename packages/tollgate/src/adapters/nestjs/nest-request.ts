import type { IncomingMessage, ServerResponse } from "node:http";
import type { ExecutionContext } from "@nestjs/common";
import { EXPOSE, type HeaderList, mergedNames } from "../../http/header-list.ts";
import type { HttpFacts } from "../../http/http-facts.ts";
import type { RateLimited } from "../../http/rate-limited.ts";
import { factsAt } from "../node/node-facts.ts";

declare module "node:http" {
  interface IncomingMessage {
    /** The limiter's decision, and how to settle the request; `undefined` if it was not counted. */
    rateLimit?: RateLimited | undefined;
  }
}

/** A request of Node, of Express or of Fastify, which has Node's inside. */
type FrameworkRequest = IncomingMessage & {
  readonly raw?: IncomingMessage;
  readonly originalUrl?: string;
  /** Express puts it there. */
  readonly res?: FrameworkResponse;
};

/** A response of Node or of Express, or a reply of Fastify. */
type FrameworkResponse = ServerResponse & {
  readonly raw?: ServerResponse;
  header?(name: string, value: string): unknown;
};

/** The context of a GraphQL operation, as its drivers and the user's `context` function make it. */
interface GraphqlContext {
  /** For Apollo's subscriptions it is the context of graphql-ws. */
  readonly req?: FrameworkRequest & Pick<GraphqlContext, "extra">;
  readonly request?: FrameworkRequest;
  /** Subscriptions over graphql-ws have the request of their handshake there. */
  readonly extra?: Pick<GraphqlContext, "request">;
  readonly res?: FrameworkResponse;
  /** Mercurius puts it there, whatever the user's function returns. */
  readonly reply?: FrameworkResponse & Pick<GraphqlContext, "request">;
}

/** A client of a gateway. Those of socket.io know the request of their handshake, those of ws only the socket. */
interface GatewayClient {
  readonly request?: FrameworkRequest;
  readonly _socket?: IncomingMessage["socket"] | null;
}

/** What a guard sees of the exchange behind a call. */
export interface Exchange {
  /** Absent for calls without a request, such as those of microservices. */
  readonly request: FrameworkRequest | undefined;
  /** Absent for messages, and for GraphQL operations whose context has none. */
  readonly response: FrameworkResponse | undefined;
}

/** Finds the request of a call by any transport. */
export function exchangeBehind(context: ExecutionContext): Exchange {
  switch (context.getType<string>()) {
    case "http":
      return { request: context.getArgByIndex(0), response: context.getArgByIndex(1) };
    case "graphql": {
      const { req, request, extra, res, reply } = context.getArgByIndex<GraphqlContext | undefined>(2) ?? {};
      const known = req?.extra?.request ?? req ?? request ?? extra?.request ?? reply?.request;
      const response = res ?? reply ?? known?.res;
      return {
        request: known,
        response: typeof response?.getHeader === "function" ? response : undefined,
      };
    }
    case "ws": {
      const { request, _socket: socket } = context.getArgByIndex(0) as GatewayClient;
      return { request: request ?? ({ socket } as FrameworkRequest), response: undefined };
    }
    default:
      return { request: undefined, response: undefined };
  }
}

/**
 * The neutral view of the request behind a call: of HTTP, of a GraphQL operation, or of the handshake of a websocket.
 * Headers and address are absent where the transport does not know them.
 *
 * @example
 * ```ts
 * import { Controller, Get, Module } from "@nestjs/common";
 * import { NestFactory } from "@nestjs/core";
 * import { createLimiter, perMinute } from "tollgate";
 * import { clientIp, factsOf, RateLimitModule } from "tollgate/nestjs";
 *
 * @Controller()
 * class Pages {
 *   @Get(["", "health"])
 *   page() {
 *     return "hello";
 *   }
 * }
 *
 * const limiter = createLimiter({ key: clientIp(), limits: [perMinute(1)] });
 * const limits = RateLimitModule.forRoot({ limiter, skip: (context) => factsOf(context).path === "/health" });
 * @Module({ imports: [limits], controllers: [Pages] })
 * class AppModule {}
 *
 * const app = await NestFactory.create(AppModule, { logger: false });
 * await app.listen(0, "127.0.0.1");
 * const statusOf = async (path: string) => (await fetch(`${await app.getUrl()}${path}`)).status;
 * console.log(await statusOf("/"), await statusOf("/"), await statusOf("/health")); // 200 429 200
 * await app.close();
 * ```
 */
export function factsOf(context: ExecutionContext): HttpFacts {
  const raw = nodeRequestOf(context);
  return factsAt(raw, exchangeBehind(context).request?.originalUrl ?? raw.url);
}

/** Node's request. */
export function nodeRequestOf(context: ExecutionContext): IncomingMessage {
  const { request } = exchangeBehind(context);
  const raw = request?.raw ?? request;
  return raw?.headers === undefined ? ({ headers: {}, socket: raw?.socket } as IncomingMessage) : raw;
}

/** Node's response, if the call has one. */
export function nodeResponseOf({ response }: Exchange): ServerResponse | undefined {
  return response?.raw ?? response;
}

/** Fastify sends the headers of its reply, and names as they are given: its own are in lower case. */
export function setHeaders(response: FrameworkResponse, headers: HeaderList): void {
  for (const [name, given] of headers) {
    const value = name === EXPOSE ? mergedNames(response.getHeader(name), given) : given;
    if (response.raw === undefined) response.setHeader(name, value);
    else response.header?.(name.toLowerCase(), value);
  }
}
