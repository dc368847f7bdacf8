import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** `"cut off"`: the grace period ended before the last request. */
export type Drained = "finished" | "cut off";

/**
 * Prepares a server for a graceful stop. Must be called before the server listens.
 *
 * @returns a function that stops the server: it accepts no more connections, closes those without a request, and lets
 * requests in flight finish within the grace period.
 */
export function drainable(server: Server): (graceMs: number) => Promise<Drained> {
  /** Each connection with the response to its latest request. */
  const sockets = new Map<Socket, ServerResponse | undefined>();
  let draining = false;
  server.on("connection", (socket) => {
    sockets.set(socket, undefined);
    socket.once("close", () => sockets.delete(socket));
  });
  // Before the listener that answers: the response has to announce the connection's end.
  server.prependListener("request", ({ socket }, response) => {
    if (sockets.has(socket)) sockets.set(socket, response);
    if (draining) response.setHeader("connection", "close");
  });
  return async (graceMs) => {
    draining = true;
    for (const response of sockets.values()) if (response !== undefined) endAfter(response, server);
    let drained: Drained = "finished";
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    // `close` ends idle connections, except those that have never sent a byte: Node waits for their first request.
    for (const socket of sockets.keys()) if (socket.bytesRead === 0) socket.destroy();
    const grace = setTimeout(() => {
      drained = "cut off";
      for (const socket of sockets.keys()) socket.destroy();
    }, graceMs);
    await closed;
    clearTimeout(grace);
    return drained;
  };
}

/** Ends a connection after the response to its latest request. Otherwise it would be kept alive until its timeout. */
function endAfter(response: ServerResponse, server: Server): void {
  if (!response.headersSent) response.setHeader("connection", "close");
  // The connection is idle when the listeners of Node have run.
  else if (!response.writableFinished)
    response.once("close", () => void setImmediate(() => server.closeIdleConnections()));
}
