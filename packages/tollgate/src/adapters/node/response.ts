import type { ServerResponse } from "node:http";
import type { Http2ServerResponse } from "node:http2";
import type { HttpAnswer } from "../../http/answer.ts";
import { exposedNames } from "../../http/exposed-names.ts";
import { EXPOSE, type HeaderList } from "../../http/header-list.ts";
import { isGone } from "../../http/outgoing.ts";

/** Sets fields for whoever answers. */
export function setHeaders(response: ServerResponse, headers: HeaderList): void {
  if (headers.length === 0 || response.headersSent) return;
  for (const [name, value] of headers) {
    response.setHeader(name, name === EXPOSE ? exposedNames(response.getHeader(name), value) : value);
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

/** NGHTTP2_INTERNAL_ERROR. */
const INTERNAL_ERROR = 2;

/** Breaks off a response that has begun, so that the client does not take it for whole. */
export function cutOff(response: ServerResponse): void {
  const { stream } = response as Partial<Pick<Http2ServerResponse, "stream">>;
  // A stream of HTTP/2 that is destroyed without an error ends as a whole one does.
  if (stream === undefined) response.destroy();
  else stream.close(INTERNAL_ERROR);
}
