import type { Server } from "node:http";
import type { Socket } from "node:net";

export interface FairConnections {
  /** Keeps a connection whose client has brought a token. */
  readonly keep: (socket: Socket) => void;
}

/**
 * Bounds the connections of a server. One more closes the oldest that `keep` was not called for, not itself: otherwise
 * a client without a token could hold all of them, and no probe would be answered.
 */
export function boundFairly(server: Server, most: number): FairConnections {
  // By the peer's address and port: with TLS, a request has another socket than its connection.
  const unproven = new Map<string, Socket>();
  const proven = new Set<string>();
  // Those that are being closed still count there.
  server.maxConnections = 2 * most;
  server.on("connection", (socket: Socket) => {
    const peer = peerOf(socket);
    unproven.set(peer, socket);
    socket.once("close", () => {
      unproven.delete(peer);
      proven.delete(peer);
    });
    if (unproven.size + proven.size <= most) return;
    // The new one is the last of them.
    const [oldest] = unproven.values();
    oldest?.destroy();
  });
  return {
    keep: (socket) => {
      const peer = peerOf(socket);
      if (unproven.delete(peer)) proven.add(peer);
    },
  };
}

function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
