import type { Server } from "node:http";
import type { Socket } from "node:net";
import { clientIp } from "tollgate/node";

export interface FairConnections {
  /** Keeps a connection whose client has brought a token. */
  readonly keep: (socket: Socket) => void;
}

/**
 * Bounds the connections of a server. One more closes a connection that `keep` was not called for: the oldest one of
 * the client that has most of these. Otherwise a client without a token could hold all connections, or take those of
 * others by opening its own again and again, and no probe would be answered.
 */
export function boundFairly(server: Server, most: number): FairConnections {
  const unproven = new Map<string, Map<string, Socket>>();
  const proven = new Set<string>();
  let count = 0;
  const forget = (client: string, peer: string): boolean => {
    const own = unproven.get(client);
    if (own?.delete(peer) !== true) return false;
    if (own.size === 0) unproven.delete(client);
    count -= 1;
    return true;
  };
  // Those that are being closed still count there.
  server.maxConnections = 2 * most;
  server.on("connection", (socket: Socket) => {
    const [client, peer] = [clientOf(socket), peerOf(socket)];
    unproven.set(client, (unproven.get(client) ?? new Map<string, Socket>()).set(peer, socket));
    count += 1;
    socket.once("close", () => {
      forget(client, peer);
      proven.delete(peer);
    });
    if (count + proven.size > most) oldestOfLargest(unproven)?.destroy();
  });
  return {
    keep: (socket) => {
      const peer = peerOf(socket);
      if (forget(clientOf(socket), peer)) proven.add(peer);
    },
  };
}

/** Among clients that have equally many, the first is the one that has had a connection for the longest. */
function oldestOfLargest(byClient: ReadonlyMap<string, ReadonlyMap<string, Socket>>): Socket | undefined {
  let largest: ReadonlyMap<string, Socket> = new Map();
  for (const own of byClient.values()) if (own.size > largest.size) largest = own;
  const [oldest] = largest.values();
  return oldest;
}

/** By the peer's address and port: with TLS, a request has another socket than its connection. */
function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

const addressOf = clientIp();

/** The network of an IPv6 address: a client has all of one. */
function clientOf({ remoteAddress }: Socket): string {
  return addressOf({ method: "GET", path: "/", remoteAddress, header: () => undefined });
}
