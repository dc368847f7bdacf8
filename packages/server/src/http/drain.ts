import { Server } from "node:http";
import type { Socket } from "node:net";
import { Server as TlsServer } from "node:tls";
import { announceEnd, isAnswering } from "./pipelining.ts";

/** `"cut off"`: the grace period ended before the last request. */
export type Drained = "finished" | "cut off";

/**
 * Prepares a server of `createGuardedServer` for a graceful stop. Must be called before the server listens.
 *
 * @returns a function that stops the server: it accepts no more connections, closes those without a request, and lets
 * requests in flight finish within the grace period.
 */
export function drainable(server: Server): (graceMs: number) => Promise<Drained> {
  const sockets = new Set<Socket>();
  // With TLS, those that have agreed on a key: the time for that is short.
  server.on(server instanceof TlsServer ? "secureConnection" : "connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  return async (graceMs) => {
    // Before the listener that answers: the response has to announce the connection's end.
    server.prependListener("request", (_request, response) => void response.setHeader("connection", "close"));
    server.closeIdleConnections = () => closeIdle(server, sockets);
    for (const socket of sockets) {
      socket.destroySoon = () => linger(socket);
      // The connection is idle when the listeners of Node have run.
      announceEnd(socket)?.once("close", () => void setImmediate(() => server.closeIdleConnections()));
    }
    let drained: Drained = "finished";
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    // `close` ends idle connections, except those that have never sent a byte: Node waits for their first request.
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
    const grace = setTimeout(() => {
      drained = "cut off";
      for (const socket of sockets) socket.destroy();
    }, graceMs);
    await closed;
    clearTimeout(grace);
    return drained;
  };
}

/** How long a client that was told of the end may take to close its side. */
const LINGER_MS = 1_000;

/** The end of a connection with unread requests is a reset: answers under way would be lost (RFC 9112, section 9.6). */
function linger(socket: Socket): void {
  socket.end(() => setTimeout(() => socket.destroy(), LINGER_MS).unref());
  socket.resume();
}

/** Node takes a connection for idle, too, whose last answers wait for a client that reads slowly. */
function closeIdle(server: Server, sockets: ReadonlySet<Socket>): void {
  const answering = [...sockets].filter(isAnswering);
  for (const socket of answering) socket.destroy = () => socket;
  Server.prototype.closeIdleConnections.call(server);
  for (const socket of answering) Reflect.deleteProperty(socket, "destroy");
}
