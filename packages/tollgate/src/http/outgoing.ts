import type { Writable } from "./count-written.ts";

/** The connection below a request of Node, or what those put in its place that have none, as for functions in a cloud. */
export interface Connection {
  readonly destroyed?: boolean;
  once?(event: "close", listener: () => void): unknown;
}

/** Node's response, of HTTP/1 or of HTTP/2 in the compatible form, as far as it is used here: this knows no `node:`. */
export interface Outgoing extends Writable {
  readonly headersSent: boolean;
  readonly statusCode: number;
  readonly writableFinished: boolean;
  /** Only of HTTP/1. */
  readonly destroyed?: boolean;
  /** Only of HTTP/2. */
  readonly stream?: { readonly aborted: boolean; readonly destroyed: boolean; readonly writableFinished: boolean };
  readonly req?: { readonly method?: string | undefined; readonly socket?: Connection | null };
  getHeader(name: string): number | string | string[] | undefined;
  getHeaderNames(): readonly string[];
  hasHeader(name: string): boolean;
  setHeader(name: string, value: string): unknown;
  /** What sends the head of a response always calls it. */
  writeHead: (...parameters: unknown[]) => unknown;
  once(event: "close" | "finish", listener: () => void): unknown;
}

/** Whether nothing can be sent any more: the client went, or somebody else has answered. */
export function isGone(outgoing: Pick<Outgoing, "destroyed" | "req" | "stream">): boolean {
  const { destroyed } = outgoing;
  if (destroyed === undefined) return outgoing.stream?.destroyed === true;
  // A response that waits behind others of its connection is told nothing of the connection's end.
  return destroyed || outgoing.req?.socket?.destroyed === true;
}
