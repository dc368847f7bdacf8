import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { RunningServer } from "./harness.ts";

/** Listens on a free port of this machine. `meanwhile` is called after the server's own listener. */
export async function listenHere(server: Server, meanwhile?: RequestListener): Promise<RunningServer> {
  if (meanwhile !== undefined) server.on("request", meanwhile);
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

export async function serveHere(listener: RequestListener, meanwhile?: RequestListener): Promise<RunningServer> {
  return listenHere(createServer(listener), meanwhile);
}
