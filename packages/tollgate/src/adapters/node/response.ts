import type { ServerResponse } from "node:http";
import type { Http2ServerResponse } from "node:http2";
import type { HttpAnswer } from "../../http/answer.ts";
import { EXPOSE, type HeaderList } from "../../http/header-list.ts";

/** Whether nothing can be sent any more: the client went. */
export function isGone(response: ServerResponse): boolean {
  // A response of HTTP/2 in the compatible form has no `destroyed` of its own.
  return response.destroyed ?? (response as unknown as Http2ServerResponse).stream.destroyed;
}

/** Sets fields for whoever answers. */
export function setHeaders(response: ServerResponse, headers: HeaderList): void {
  if (headers.length === 0 || response.headersSent) return;
  for (const [name, value] of headers) {
    response.setHeader(name, name === EXPOSE ? appended(response.getHeader(name), value) : value);
  }
}

/** Gives an answer in the handler's place. */
export function sendAnswer(response: ServerResponse, { status, contentType, body }: HttpAnswer): void {
  if (response.headersSent || isGone(response)) return;
  response.statusCode = status;
  response.setHeader("Content-Type", contentType);
  response.setHeader("Content-Length", Buffer.byteLength(body));
  response.end(body);
}

function appended(before: number | string | string[] | undefined, value: string): string {
  return before === undefined ? value : `${String(before)}, ${value}`;
}
