import type { ServerResponse } from "node:http";
import { readText, typeOf } from "./read-text.ts";
import { RequestError } from "./request-error.ts";
import type { Route } from "./route-table.ts";

/**
 * A route for JSON that programs post. A web page could otherwise ask in the name of a browser that reaches the
 * service: browsers send `Origin` with every POST, also if the page's own name resolves to this machine (DNS
 * rebinding).
 */
export function postRoute(mostBytes: number, answer: (text: string, response: ServerResponse) => Promise<void>): Route {
  return {
    methods: ["POST"],
    handler: async (request, response) => {
      const { origin, "sec-fetch-site": site } = request.headers;
      if (origin !== undefined || site !== undefined)
        throw new RequestError(403, "expected a request of a program, got one of a web page");
      typeOf(request, ["application/json"]);
      await answer(await readText(request, mostBytes), response);
    },
  };
}
