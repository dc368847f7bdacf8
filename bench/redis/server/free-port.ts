import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { HOST } from "./host.ts";

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await once(server.listen(0, HOST), "listening");
  const { port } = server.address() as AddressInfo;
  await once(server.close(), "close");
  return port;
}
