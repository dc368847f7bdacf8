import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { createServer } from "node:net";

/** What Redis adds to the port of a cluster's node for its bus. */
const BUS_OFFSET = 10_000;

/**
 * Ports are taken from here, buses being in the 10,000 after: below what Linux and macOS give to outgoing connections, for
 * one of those could otherwise sit on the port of a server that is down between two starts.
 */
const LOWEST = 11_000;
const COUNT = 10_000;

/** A port of 127.0.0.1, and the port of its bus, that no other test picks until it is released, whether a server runs or not. */
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
 * The reservation is the UDP port of the same number: all test processes see it, it does not hinder the server, which uses
 * TCP, and the kernel gives it back whatever ends the process.
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
