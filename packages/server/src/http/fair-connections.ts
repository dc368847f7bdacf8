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
  const unproven = new Set<Socket>();
  const proven = new Set<Socket>();
  // Those that are being closed still count there.
  server.maxConnections = 2 * most;
  server.on("connection", (socket: Socket) => {
    unproven.add(socket);
    socket.once("close", () => {
      unproven.delete(socket);
      proven.delete(socket);
    });
    if (unproven.size + proven.size <= most) return;
    // The new one is the last of them.
    const [oldest] = unproven;
    oldest?.destroy();
  });
  return {
    keep: (socket) => {
      if (unproven.delete(socket)) proven.add(socket);
    },
  };
}
