import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";

export async function listen(server: Server): Promise<number> {
  await once(server.listen(0, "127.0.0.1"), "listening");
  return (server.address() as AddressInfo).port;
}
