import type { IncomingMessage, ServerResponse } from "node:http";
import { factsOf, type NodeHandler } from "tollgate/node";
import { sendJson } from "./answers.ts";

/** Hears of what went wrong inside while a request was served. */
export type ReportFailure = (error: unknown, request: IncomingMessage) => void;

/** What the log says of a failure: one line, without the query, which may hold secrets. */
export function failureLine(error: unknown, request: IncomingMessage): string {
  const { method, path } = factsOf(request);
  return `${method} ${path} failed: ${String(error)}`.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ");
}

/** Answers 500 where a handler throws: left alone, what it throws would end the process. */
export function guarded(
  handler: NodeHandler,
  report: ReportFailure,
): (request: IncomingMessage, response: ServerResponse) => void {
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      await handler(request, response);
    } catch (error) {
      report(error, request);
      if (response.headersSent) response.destroy();
      else sendJson(response, 500, { error: "internal server error" });
    }
  };
  return (request, response) => void serve(request, response);
}
