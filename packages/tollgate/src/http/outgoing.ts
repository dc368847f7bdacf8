import { type Departure, departureBy } from "./departure.ts";

/** The connection below a Node request. Cloud functions put other objects in its place. */
export interface Connection {
  readonly destroyed?: boolean;
  once?(event: "close", listener: () => void): unknown;
}

/**
 * The part of Node's response (HTTP/1, or HTTP/2 in the compatible form) that the library uses, declared without
 * `node:`.
 */
export interface Outgoing {
  readonly headersSent: boolean;
  readonly statusCode: number;
  readonly writableEnded: boolean;
  readonly writableFinished: boolean;
  /** Only on HTTP/1. */
  readonly destroyed?: boolean;
  /** Only on HTTP/2. */
  readonly stream?: { readonly aborted: boolean; readonly destroyed: boolean; readonly writableFinished: boolean };
  readonly req?: { readonly method?: string | undefined; readonly socket?: Connection | null };
  getHeader(name: string): number | string | string[] | undefined;
  getHeaderNames(): readonly string[];
  hasHeader(name: string): boolean;
  setHeader(name: string, value: string): unknown;
  /** Called by everything that sends the head of a response. */
  writeHead: (...parameters: unknown[]) => unknown;
  write: (...parameters: unknown[]) => unknown;
  end: (...parameters: unknown[]) => unknown;
  once(event: "close" | "finish", listener: () => void): unknown;
  removeListener(event: "close" | "finish", listener: () => void): unknown;
}

/** Whether nothing can be sent any more: the client has gone, or the response was sent. */
export function isGone(outgoing: Pick<Outgoing, "destroyed" | "req" | "stream">): boolean {
  const { destroyed } = outgoing;
  if (destroyed === undefined) return outgoing.stream?.destroyed === true;
  // A pipelined response that waits for its turn has no 'close' event when the connection ends.
  return destroyed || outgoing.req?.socket?.destroyed === true;
}

const LISTENERS = new WeakMap<Connection, Set<() => void>>();

/**
 * Calls a listener when a connection closes. All listeners of a connection share one of Node's: a client may pipeline
 * more requests than Node accepts listeners without a warning.
 *
 * @returns a function that removes the listener.
 */
function onConnectionEnd(connection: Connection, listener: () => void): () => void {
  const listeners = LISTENERS.get(connection) ?? listenersOf(connection);
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

function listenersOf(connection: Connection): Set<() => void> {
  const listeners = new Set<() => void>();
  LISTENERS.set(connection, listeners);
  connection.once?.("close", () => {
    for (const listener of listeners) listener();
  });
  return listeners;
}

/**
 * Calls a listener once, when a response has ended: it was sent, or its client has gone. At once if that is over.
 *
 * @returns a function that removes the listener.
 */
export function onResponseEnd(outgoing: Outgoing, listener: (event: "finish" | "close") => void): () => void {
  if (isGone(outgoing)) {
    listener("close");
    return () => {};
  }
  const finished = (): void => end("finish");
  const closed = (): void => end("close");
  outgoing.once("finish", finished);
  outgoing.once("close", closed);
  // A pipelined response gets no 'close' event before its turn. A stream of HTTP/2 always gets one.
  const connection = outgoing.stream === undefined ? outgoing.req?.socket : undefined;
  const unwatchConnection = connection ? onConnectionEnd(connection, closed) : undefined;
  const unwatch = (): void => {
    outgoing.removeListener("finish", finished);
    outgoing.removeListener("close", closed);
    unwatchConnection?.();
  };
  const end = (event: "finish" | "close"): void => {
    unwatch();
    listener(event);
  };
  return unwatch;
}

/** Aborts when a response has ended: its client has gone, or other code has answered. */
export function departureOf(outgoing: Outgoing): Departure {
  return departureBy(
    () => isGone(outgoing),
    (listener) => onResponseEnd(outgoing, listener),
  );
}
