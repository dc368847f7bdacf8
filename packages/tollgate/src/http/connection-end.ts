import type { Connection } from "./outgoing.ts";

/** Who waits for the end of a connection. */
const WAITING = new WeakMap<Connection, Set<() => void>>();

/**
 * Calls a function when a connection closes. All of a connection share one listener: a client may pipeline more requests than
 * Node lets listen without a warning.
 *
 * @returns a function that ends the wait.
 */
export function onConnectionEnd(connection: Connection, tell: () => void): () => void {
  const waiting = WAITING.get(connection) ?? waitingFor(connection);
  waiting.add(tell);
  return () => void waiting.delete(tell);
}

function waitingFor(connection: Connection): Set<() => void> {
  const waiting = new Set<() => void>();
  WAITING.set(connection, waiting);
  connection.once?.("close", () => {
    for (const tell of waiting) tell();
  });
  return waiting;
}
