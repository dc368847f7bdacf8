import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";

/** The body of every response of a handler. */
export const BODY = "ok";

/** The header that has the cause if a request was admitted without Redis. */
export const DEGRADED = "x-degraded";

/** Listens on a free port of this machine, and resolves with the port. */
export async function listen(server: Server): Promise<number> {
  await once(server.listen(0, "127.0.0.1"), "listening");
  return (server.address() as AddressInfo).port;
}
