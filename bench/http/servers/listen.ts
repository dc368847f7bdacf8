import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Front, Serve } from "../variants.ts";

/** The servers of one framework. Each loads only what it has in front of the handler. */
export type Servers = Readonly<Partial<Record<Front, Serve>>>;

export const BODY = "hello";
export const HOST = "127.0.0.1";
export const DAY_MS = 86_400_000;

export async function listen(server: Server): Promise<number> {
  await once(server.listen(0, HOST), "listening");
  return (server.address() as AddressInfo).port;
}
