import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { createServer } from "node:net";

/** The offset of the port of a cluster node's bus. */
const BUS_OFFSET = 10_000;

/**
 * The first port. The ports and their buses, 10,000 higher, are below the range of outgoing connections on Linux and
 * macOS. One of those could otherwise occupy the port of a stopped server.
 */
const LOWEST = 11_000;
const COUNT = 10_000;

/** A port of 127.0.0.1 and its bus port, reserved for a test until it is released. */
export interface ReservedPort {
  readonly port: number;
  release(): void;
}

export async function reservePort(): Promise<ReservedPort> {
  for (;;) {
    const port = LOWEST + Math.floor(Math.random() * COUNT);
    const reservation = await bindUdp(port);
    if (reservation === undefined) continue;
    if ((await isFree(port)) && (await isFree(port + BUS_OFFSET))) return { port, release: () => reservation.close() };
    reservation.close();
  }
}

/**
 * The UDP port of the same number is the reservation. All test processes see it, it does not conflict with the
 * server's TCP port, and the kernel frees it with the process.
 */
async function bindUdp(port: number): Promise<Socket | undefined> {
  const socket = createSocket("udp4");
  try {
    socket.bind({ port, address: "127.0.0.1", exclusive: true });
    await once(socket, "listening");
    return socket.unref();
  } catch {
    socket.close();
    return undefined;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    await once(server.listen(port, "127.0.0.1"), "listening");
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
}
