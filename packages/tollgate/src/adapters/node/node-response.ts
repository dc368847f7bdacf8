import type { ServerResponse } from "node:http";
import type { Http2ServerResponse } from "node:http2";
import { isPromise } from "../../core/checks.ts";
import type { Departure } from "../../http/departure.ts";
import { EXPOSE, type HeaderList, mergedNames } from "../../http/header-list.ts";
import { departureOf as departureOfOutgoing, isGone, type Outgoing, onResponseEnd } from "../../http/outgoing.ts";
import { type RunHandler, watchOutgoing } from "../../http/outgoing-outcome.ts";
import type { DenialResponse, Pass, ResponseContent } from "../../http/verdict.ts";

/** Sets headers, unless the head has been sent. */
export function setHeaders(response: ServerResponse, headers: HeaderList): void {
  if (response.headersSent) return;
  for (const [name, value] of headers)
    response.setHeader(name, name === EXPOSE ? mergedNames(response.getHeader(name), value) : value);
}

/** Sends a response in the handler's place, unless another was sent. */
export function sendContent(response: ServerResponse, { status, contentType, body }: ResponseContent): void {
  if (response.headersSent || isGone(response)) return;
  response.statusCode = status;
  response.setHeader("Content-Type", contentType);
  response.setHeader("Content-Length", Buffer.byteLength(body));
  response.end(body);
}

/**
 * Answers a denied request, by `onDenied` if there is one, unless other code has begun to answer while the limiter
 * waited. What `onDenied` throws, at once or later, goes to `fail`.
 */
export function sendDenial(
  response: ServerResponse,
  { headers, content }: DenialResponse,
  onDenied: (() => unknown) | undefined,
  fail: (error: unknown) => void,
): void {
  if (response.headersSent) return;
  setHeaders(response, headers);
  if (onDenied === undefined) {
    sendContent(response, content);
    return;
  }
  response.statusCode = content.status;
  try {
    const answered = onDenied();
    if (isPromise(answered)) answered.then(undefined, fail);
  } catch (error) {
    fail(error);
  }
}

/** NGHTTP2_INTERNAL_ERROR. */
const INTERNAL_ERROR = 2;

/** Breaks off a response that has begun, so that the client does not take it for complete. */
export function cutOff(response: ServerResponse): void {
  const { stream } = response as Partial<Pick<Http2ServerResponse, "stream">>;
  // A stream of HTTP/2 that is destroyed without an error ends like a complete one.
  if (stream === undefined) response.destroy();
  else stream.close(INTERNAL_ERROR);
}

/**
 * Frees the places of a request when its response has ended, and settles it when its handler is over, too.
 *
 * @returns a function that runs the handler, if the request is settled by its response.
 */
export function watchOutcome(response: ServerResponse, { places, settlement }: Pass): RunHandler | undefined {
  const outgoing = response as unknown as Outgoing;
  if (places !== undefined) onResponseEnd(outgoing, places.hold());
  return settlement?.end && watchOutgoing(outgoing, sizeOf, settlement.end);
}

/** Aborts when the client of a response has gone. */
export function departureOf(response: ServerResponse): Departure {
  return departureOfOutgoing(response as unknown as Outgoing);
}

function sizeOf(chunk: unknown, encoding: unknown): number {
  if (typeof chunk === "string") {
    return Buffer.byteLength(chunk, Buffer.isEncoding(encoding as string) ? (encoding as BufferEncoding) : "utf8");
  }
  return chunk instanceof Uint8Array ? chunk.byteLength : 0;
}
