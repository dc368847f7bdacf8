import type { NodeHandler } from "tollgate/node";
import { bodyTypeOf } from "./body-type.ts";
import { sendJson } from "./responses.ts";

const JSON_TYPE = "application/json";

/**
 * Answers only JSON of programs. A web page could otherwise ask in the name of a browser that reaches the service:
 * browsers send `Origin` with every POST, also if the page's own name resolves to this machine (DNS rebinding).
 */
export function onlyPrograms(handler: NodeHandler): NodeHandler {
  return (request, response) => {
    const { origin, "sec-fetch-site": site } = request.headers;
    if (origin !== undefined || site !== undefined) {
      return sendJson(response, 403, { error: "expected a request of a program, got one of a web page" });
    }
    if (bodyTypeOf(request) !== JSON_TYPE) {
      return sendJson(response, 415, { error: `content-type: expected ${JSON_TYPE} in UTF-8` });
    }
    return handler(request, response);
  };
}
