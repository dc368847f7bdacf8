import type { NodeHandler } from "tollgate/node";
import { postRoute } from "../http/post-route.ts";
import { sendJson, sendText } from "../http/responses.ts";
import type { Route } from "../http/route-table.ts";
import { configurationLines } from "./configuration-lines.ts";
import { jsonResponse, parseJsonRequest } from "./json.ts";
import { OVER_LIMIT } from "./messages.ts";
import type { RateLimitDecider } from "./rate-limit-decider.ts";
import type { RateLimits } from "./rate-limits.ts";

/** The same bound as for a request of gRPC. */
const MOST_BODY_BYTES = 256 * 1024;

/** `POST /json`: a request of Envoy's protocol as JSON. 200 or 429, 400 for nonsense, 503 without the store. */
export function jsonRoute(limits: RateLimitDecider): Route {
  return postRoute(MOST_BODY_BYTES, async (text, response) => {
    const decided = await limits.decide(parseJsonRequest(text));
    sendJson(response, decided.overallCode === OVER_LIMIT ? 429 : 200, jsonResponse(decided));
  });
}

/** `GET /rlconfig`: the limits that are loaded. */
export function configurationRoute(limits: RateLimits): NodeHandler {
  return (_request, response) => sendText(response, configurationLines(limits.configuration));
}
