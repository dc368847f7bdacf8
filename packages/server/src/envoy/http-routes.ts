import type { NodeHandler } from "tollgate/node";
import { onlyPrograms } from "../http/only-programs.ts";
import { readBody } from "../http/read-body.ts";
import { RequestError } from "../http/request-error.ts";
import { sendJson, sendText } from "../http/responses.ts";
import type { Route } from "../http/route-table.ts";
import { configurationLines } from "./configuration-lines.ts";
import { jsonResponse, parseJsonRequest } from "./json.ts";
import { OVER_LIMIT } from "./messages.ts";
import { InvalidRequestError, NotCountedError, type RateLimitDecider } from "./rate-limit-decider.ts";
import type { RateLimits } from "./rate-limits.ts";

/** The same bound as for a request of gRPC. */
const MOST_BODY_BYTES = 64 * 1024;

/** `POST /json`: a request of Envoy's protocol as JSON. 200 or 429, 400 for nonsense, 503 without the store. */
export function jsonRoute(limits: RateLimitDecider): Route {
  const handler: NodeHandler = async (request, response) => {
    const body = await readBody(request, MOST_BODY_BYTES);
    if (body === undefined) return sendJson(response, 413, { error: `expected at most ${MOST_BODY_BYTES} bytes` });
    try {
      const decided = await limits.decide(parseJsonRequest(body));
      return sendJson(response, decided.overallCode === OVER_LIMIT ? 429 : 200, jsonResponse(decided));
    } catch (error) {
      if (error instanceof InvalidRequestError || error instanceof RequestError)
        return sendJson(response, 400, { error: error.message });
      if (error instanceof NotCountedError) return sendJson(response, 503, { error: error.message });
      throw error;
    }
  };
  return { methods: ["POST"], handler: onlyPrograms(handler) };
}

/** `GET /rlconfig`: the limits that are loaded. */
export function configurationRoute(limits: RateLimits): NodeHandler {
  return (_request, response) => sendText(response, configurationLines(limits.configuration));
}
