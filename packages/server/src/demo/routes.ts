import type { Limiter } from "tollgate";
import { factsOf, type HttpFacts, type KeyOf, type NodeHandler, rateLimit } from "tollgate/node";
import { sendJson, sendText } from "../http/responses.ts";
import type { Routes } from "../http/route-table.ts";
import { clientName } from "../log/client-name.ts";
import type { RequestLog } from "../log/request-log.ts";
import type { Limiters } from "./limiters.ts";

/** The routes of the demo and their limiters. */
export function demoRoutes(limiters: Limiters, key: KeyOf, requestLog: RequestLog): Routes {
  const limitedBy = (limiter: Limiter<HttpFacts>, answer: NodeHandler) =>
    loggingDenials(limiter, answer, key, requestLog);
  return {
    "/": limitedBy(limiters.client, (_request, response) => sendJson(response, 200, { status: "ok" })),
    "/ping": limitedBy(limiters.client, (_request, response) => sendText(response, "pong")),
    "/test": limitedBy(limiters.test, (_request, response) => sendText(response, "allowed")),
  };
}

function loggingDenials(
  limiter: Limiter<HttpFacts>,
  answer: NodeHandler,
  key: KeyOf,
  requestLog: RequestLog,
): NodeHandler {
  const limited = rateLimit({ limiter, logError: (error, request) => requestLog.failed(error, request) })(answer);
  return (request, response) => {
    limited(request, response);
    // The limiter is synchronous: it has decided by now.
    const decision = request.rateLimit;
    if (decision?.allowed === false) requestLog.denied(request, decision, () => clientName(key(factsOf(request))));
  };
}
