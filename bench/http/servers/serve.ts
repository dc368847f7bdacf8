import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";

/** Starts a server that admits so many requests a day from each address, and tells its port. */
export type Serve = (limit: number) => Promise<number>;

/** What every server answers. */
export const BODY = "hello";

export const HOST = "127.0.0.1";

export const DAY_MS = 86_400_000;

export async function listen(server: Server): Promise<number> {
  await once(server.listen(0, HOST), "listening");
  return (server.address() as AddressInfo).port;
}
