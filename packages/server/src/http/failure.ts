import type { IncomingMessage, ServerResponse } from "node:http";
import type { NodeHandler } from "tollgate/node";
import { requestErrorOf, sendError } from "./request-error.ts";
import { sendJson } from "./responses.ts";

/** Logs a failure while a request was served. */
export type LogFailure = (error: unknown, request: IncomingMessage) => void;

/**
 * Answers what a handler throws: errors of a request as they say, all others with 500. Otherwise an error would end
 * the process. It is no failure if the client hangs up while the handler reads its body.
 */
export function guarded(
  handler: NodeHandler,
  logFailure: LogFailure,
): (request: IncomingMessage, response: ServerResponse) => void {
  const fail = (error: unknown, request: IncomingMessage, response: ServerResponse): void => {
    // The client hung up in the middle of its body: that is no failure, and the answer would reach no client.
    if (error === request.errored) return;
    const known = response.headersSent ? undefined : requestErrorOf(error);
    if (known !== undefined) {
      sendError(response, known);
      return;
    }
    logFailure(error, request);
    if (response.headersSent) response.destroy();
    else sendJson(response, 500, { error: "internal server error" });
  };
  return (request, response) => {
    try {
      // Most handlers answer at once, and need no promise.
      const answered = handler(request, response);
      if (answered instanceof Promise) answered.catch((error: unknown) => fail(error, request, response));
    } catch (error) {
      fail(error, request, response);
    }
  };
}
