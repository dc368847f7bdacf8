import type { ServerResponse } from "node:http";
import { rateLimitHeaders } from "tollgate/node";
import { DEGRADED_HEADER } from "../http/degraded-header.ts";
import { postRoute } from "../http/post-route.ts";
import { isObject, parseJson, refuseIn } from "../http/readers.ts";
import { RequestError } from "../http/request-error.ts";
import { sendJson } from "../http/responses.ts";
import type { Route } from "../http/route-table.ts";
import type { RecentRequests } from "../limits/recent-requests.ts";
import { type DecidedBy, type DecideResult, decide } from "./decide.ts";
import { type DecideRequest, readDecideRequest } from "./decide-request.ts";

/** A hundred calls with the headers of a browser each. */
const MOST_BODY_BYTES = 512 * 1024;
const MOST_CALLS = 100;

/**
 * `POST /v1/decide`: one call, or up to a hundred as `{ "requests": [...] }`, which are carried out in order. A body
 * with a malformed call is refused whole, before anything is counted.
 */
export function decideRoute(by: DecidedBy, recent: RecentRequests | undefined): Route {
  const decideNoted = async (call: DecideRequest): Promise<DecideResult> => {
    const result = await decide(by, call);
    if (recent !== undefined && result.decision !== undefined) note(recent, call);
    return result;
  };
  return postRoute(MOST_BODY_BYTES, async (text, response) => {
    const calls = readCalls(text);
    if (!isList(calls)) return sendResult(response, await decideNoted(calls));
    // All begin in order before one of them waits: a store elsewhere gets them as one batch.
    const results = await Promise.all(calls.map(decideNoted));
    sendJson(response, 200, { results: results.map((result) => result.body) });
  });
}

/** Notes a call that counted something. What is corrected later is not known then. */
function note(recent: RecentRequests, call: DecideRequest): void {
  switch (call.verb) {
    case "consume":
    case "reserve":
      recent.note(call.domain, call.facts, call.cost, "consume");
      break;
    case "charge":
      recent.note(call.domain, call.facts, call.cost, "charge");
      break;
    default:
  }
}

function sendResult(response: ServerResponse, { status, decision, body }: DecideResult): void {
  const headers = decision === undefined ? [] : [...rateLimitHeaders(decision)];
  if (decision?.degraded !== undefined) headers.push([DEGRADED_HEADER, decision.degraded]);
  sendJson(response, status, body, Object.fromEntries(headers));
}

function isList(calls: readonly DecideRequest[] | DecideRequest): calls is readonly DecideRequest[] {
  return Array.isArray(calls);
}

function readCalls(text: string): readonly DecideRequest[] | DecideRequest {
  const value = parseJson(text);
  const refuse = refuseIn("request");
  const batch = isObject(value) ? value["requests"] : undefined;
  if (batch === undefined) return readDecideRequest(value, ["request"], refuse);
  if (!Array.isArray(batch) || batch.length === 0 || batch.length > MOST_CALLS) {
    throw new RequestError(400, `requests: expected a list of 1 to ${MOST_CALLS} calls`);
  }
  return batch.map((call, i) => readDecideRequest(call, ["requests", i], refuse));
}
