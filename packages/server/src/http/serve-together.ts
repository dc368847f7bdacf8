import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";

/**
 * Serves the requests together that arrive in one turn of the event loop. Node would parse a request, serve it, and go
 * on to the next connection, and the code of each phase would leave the processor's nearest cache in between. A single
 * request does not wait: its turn ends at once. A request is not served if its client has gone by then: it has no
 * address any more by which it could be counted. The listener must not throw.
 */
export function serveTogether(listener: RequestListener): RequestListener {
  let arrived: [IncomingMessage, ServerResponse][] = [];
  const serve = (): void => {
    const requests = arrived;
    arrived = [];
    for (const [request, response] of requests) if (!request.destroyed) listener(request, response);
  };
  return (request, response) => {
    if (arrived.length === 0) setImmediate(serve);
    arrived.push([request, response]);
  };
}
