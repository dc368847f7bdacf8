import type { IncomingMessage, ServerResponse } from "node:http";
import type { AsyncLimiter, Denied, Limiter } from "tollgate";
import { type NodeHandler, rateLimit, type TrustProxy } from "tollgate/node";
import { DEGRADED_HEADER } from "../http/degraded-header.ts";
import type { Routes } from "../http/route-table.ts";
import { type CheckedFacts, CheckedRequest } from "./checked-request.ts";
import { ForwardedClients } from "./forwarded-clients.ts";
import { requestHeader } from "./request-header.ts";

export interface CheckSettings {
  /** Decides about the facts of the request that a proxy asks about. Its `remoteAddress` is the client's. */
  readonly limiter: Limiter<CheckedFacts> | AsyncLimiter<CheckedFacts>;
  /** Which peers may speak for others, and which hops tell a client's address. */
  readonly trustProxy: TrustProxy;
  readonly logError: (error: unknown, request: IncomingMessage) => void;
  /** Is notified of each request that a proxy asks about, before it is decided. */
  readonly noteFacts?: (facts: CheckedFacts) => void;
  /** Is notified of each denial. `facts` makes those of the request that the proxy asked about. */
  readonly noteDenial?: (request: IncomingMessage, denial: Denied, facts: () => CheckedFacts) => void;
}

/** Proxies run on this machine unless others are named. */
export function checkTrust(trustProxy: TrustProxy): TrustProxy {
  return trustProxy === false ? "loopback" : trustProxy;
}

/**
 * The routes that proxies ask before they let a request pass, by path. Every method is answered alike, and no body is
 * read: 200 without a body, or what the library's gate sends for a denial. `/check/403` denies with 403 and without a
 * body, because nginx accepts no other denial and drops its body.
 *
 * @throws TollgateError `ERR_OPTION` if the trust is malformed.
 */
export function checkRoutes(settings: CheckSettings): Routes {
  const { limiter, logError, noteDenial, noteFacts } = settings;
  const clients = new ForwardedClients(settings.trustProxy);
  const input = (request: IncomingMessage): CheckedFacts => new CheckedRequest(request, clients.of(request));
  const common = { limiter, input: noteFacts === undefined ? input : notingInput(input, noteFacts), logError };
  // A function of its own: one with a closure makes it in every call, and most requests need none.
  const tell = (request: IncomingMessage, denial: Denied, facts = input(request)) =>
    noteDenial?.(request, denial, () => facts);
  const note = (request: IncomingMessage, facts?: CheckedFacts): void => {
    const { rateLimit: decision } = request;
    if (decision?.allowed === false) tell(request, decision, facts);
  };
  const noteLater = (request: IncomingMessage, response: ServerResponse): void => {
    // A closed connection has no address.
    const facts = input(request);
    response.once("close", () => note(request, facts));
  };
  const noting = (limited: NodeHandler): NodeHandler => {
    if (noteDenial === undefined) return withoutBody(limited);
    return withoutBody((request, response) => {
      if (limiter.kind === "async") noteLater(request, response);
      void limited(request, response);
      if (limiter.kind === "sync") note(request);
    });
  };
  return {
    "/check": { methods: "every", handler: noting(rateLimit(common)(allow)) },
    "/check/403": { methods: "every", handler: noting(rateLimit({ ...common, onDenied: forbid })(allow)) },
  };
}

type InputOf = (request: IncomingMessage) => CheckedFacts;

function notingInput(input: InputOf, noteFacts: (facts: CheckedFacts) => void): InputOf {
  return (request) => {
    const facts = input(request);
    noteFacts(facts);
    return facts;
  };
}

/** A cached answer would not be counted. */
const ALLOWED = ["Content-Length", "0", "Cache-Control", "no-store"];

function allow(request: IncomingMessage, response: ServerResponse): void {
  noteDegraded(request, response);
  response.writeHead(200, ALLOWED);
  response.end();
}

/** A decision without the store is told, so that proxies can log it. */
function noteDegraded({ rateLimit: decision }: IncomingMessage, response: ServerResponse): void {
  if (decision?.degraded !== undefined) response.setHeader(DEGRADED_HEADER, decision.degraded);
}

function forbid(request: IncomingMessage, response: ServerResponse): void {
  noteDegraded(request, response);
  response.writeHead(403, { "Content-Length": "0" });
  response.end();
}

/**
 * Ends the connection after a check that announces a body. A proxy may announce the body of its client's request
 * without sending it, and the next check on that connection would be taken for the body.
 */
function withoutBody(handler: NodeHandler): NodeHandler {
  return (request, response) => {
    if (announcesBody(request)) response.shouldKeepAlive = false;
    return handler(request, response);
  };
}

function announcesBody(request: IncomingMessage): boolean {
  const length = requestHeader(request, "content-length");
  return (length !== undefined && length !== "0") || requestHeader(request, "transfer-encoding") !== undefined;
}
