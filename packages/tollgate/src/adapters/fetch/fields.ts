import type { Decision } from "../../core/decision.ts";
import { EXPOSE, type HeaderList, writeHeaders } from "../../http/header-list.ts";

/** What a response was given, and the last decision on the request that it answered: no two requests share one. */
interface Given {
  readonly fields: HeaderList;
  readonly decision: Decision | undefined;
}

/** A response has no place for it. */
const GIVEN = new WeakMap<Response, Given>();

/**
 * The response with those of the fields that it has not got: its own stand. It is the same response, but where its headers do
 * not change, as those of `Response.redirect` and of `fetch`, and where it was given fields for another request: a handler may
 * keep a response and return it again and again.
 *
 * @param decision the last one on the request, whichever limiter made it.
 */
export function withFields(response: Response, fields: HeaderList, decision: Decision | undefined): Response {
  // The signs for a web socket and for an error of the network: runtimes do not let others be made.
  if (response.status < 200) return response;
  const given = GIVEN.get(response);
  if (given !== undefined && given.decision !== decision) {
    return withFields(without(response, given.fields), fields, decision);
  }
  if (fields.length === 0) return response;
  const [complete, added] = adding(response, fields);
  GIVEN.set(complete, { fields: given === undefined ? added : [...given.fields, ...added], decision });
  return complete;
}

/** A copy: the response itself may be on its way to another client. It can be copied again where its body was not read. */
function without(response: Response, fields: HeaderList): Response {
  const copy = response.clone();
  // The names that are exposed are the same for all requests, and may stand beside others.
  for (const [name] of fields) if (name !== EXPOSE) copy.headers.delete(name);
  return copy;
}

function adding(response: Response, fields: HeaderList): [complete: Response, added: HeaderList] {
  try {
    return [response, addMissing(response.headers, fields)];
  } catch {
    const copy = new Response(response.body, response);
    return [copy, addMissing(copy.headers, fields)];
  }
}

function addMissing(headers: Headers, fields: HeaderList): HeaderList {
  const missing = fields.filter(([name, value]) =>
    name === EXPOSE ? headers.get(name)?.includes(value) !== true : !headers.has(name),
  );
  writeHeaders(missing, headers);
  return missing;
}
