import { EXPOSE, type HeaderList, mergedNames } from "../../http/header-list.ts";

/**
 * The headers that a response was given, and the last decision on the request that it answered. No two requests share a
 * decision.
 */
interface Given {
  readonly headers: HeaderList;
  readonly decision: object | undefined;
}

/** A `Response` has no property for it. */
const GIVEN = new WeakMap<Response, Given>();

/**
 * Adds headers to a response, unless it has them. It returns a copy if the response's headers are immutable, as those
 * of `Response.redirect` and `fetch`, or if it has the headers of another request: a handler may return the same
 * response repeatedly.
 *
 * @param decision the last one on the request, of any limiter.
 */
export function withHeaders(response: Response, headers: HeaderList, decision: object | undefined): Response {
  // The responses for a web socket and for a network error: runtimes do not let code create such responses.
  if (response.status < 200) return response;
  const given = GIVEN.get(response);
  if (given !== undefined && given.decision !== decision) {
    return withHeaders(without(response, given.headers), headers, decision);
  }
  if (headers.length === 0) return response;
  const [complete, added] = adding(response, headers);
  GIVEN.set(complete, { headers: given === undefined ? added : [...given.headers, ...added], decision });
  return complete;
}

/**
 * A copy, because the response itself may be on its way to another client. It can be copied if its body was not read.
 */
function without(response: Response, headers: HeaderList): Response {
  const copy = response.clone();
  // The exposed names are the same for all requests, and may stand beside others.
  for (const [name] of headers) if (name !== EXPOSE) copy.headers.delete(name);
  return copy;
}

function adding(response: Response, headers: HeaderList): [complete: Response, added: HeaderList] {
  try {
    return [response, addMissing(response.headers, headers)];
  } catch {
    const copy = new Response(response.body, response);
    return [copy, addMissing(copy.headers, headers)];
  }
}

/** @returns the headers that were missing. */
function addMissing(target: Headers, headers: HeaderList): HeaderList {
  return headers.filter(([name, value]) => {
    const before = target.get(name);
    if (before !== null && (name !== EXPOSE || before.includes(value))) return false;
    target.set(name, name === EXPOSE ? mergedNames(before, value) : value);
    return true;
  });
}
