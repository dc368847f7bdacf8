import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";

/** More would not be faster, and have the objects of more requests in memory at once. */
const MOST_TOGETHER = 8;

type Arrived = [IncomingMessage, ServerResponse][];

/**
 * Serves the requests together that arrive in one turn of the event loop, in groups. Node would parse a request, serve
 * it, and go on to the next connection, and the code of each phase would leave the processor's nearest cache in
 * between. A single request does not wait: its turn ends at once. A request is not served if its client has gone by
 * then: it has no address any more by which it could be counted. The listener must not throw.
 */
export function serveTogether(listener: RequestListener): RequestListener {
  let latest: Arrived = [];
  const serve = (group: Arrived): void => {
    if (group === latest) latest = [];
    for (const [request, response] of group) if (!request.destroyed) listener(request, response);
  };
  return (request, response) => {
    if (latest.length === MOST_TOGETHER) latest = [];
    if (latest.length === 0) setImmediate(serve, latest);
    latest.push([request, response]);
  };
}
