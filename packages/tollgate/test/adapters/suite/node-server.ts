import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { type ClientHttp2Session, connect } from "node:http2";
import type { AddressInfo, Server, Socket } from "node:net";
import { onTestFinished } from "vitest";
import type { RunningServer } from "./harness.ts";

/** Listens on a free port of this machine. `meanwhile` is called after the server's own listener. */
export async function listenHere(server: Server, meanwhile?: RequestListener): Promise<RunningServer> {
  if (meanwhile !== undefined) server.on("request", meanwhile);
  const sockets: Socket[] = [];
  server.on("connection", (socket) => sockets.push(socket));
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

export async function serveHere(listener: RequestListener, meanwhile?: RequestListener): Promise<RunningServer> {
  return listenHere(createServer(listener), meanwhile);
}

/** The URL at which a server or listener serves until the test has finished. */
export async function urlOf(served: Server | RequestListener): Promise<string> {
  const { close, url } = await listenHere(typeof served === "function" ? createServer(served) : served);
  onTestFinished(close);
  return url;
}

/** A connection over HTTP/2 to a server, until the test has finished. */
export async function sessionWith(server: Server): Promise<ClientHttp2Session> {
  const session = connect(await urlOf(server));
  onTestFinished(() => session.destroy());
  return session;
}
