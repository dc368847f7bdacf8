import type { ServerResponse } from "node:http";
import type { Outgoing } from "../../http/outgoing.ts";
import { type Run, watchOutgoing } from "../../http/outgoing-outcome.ts";
import type { Settle } from "../../http/settlement.ts";

/** Settles a request when its response and its handler are over, and runs the handler. */
export function watchOutcome(response: ServerResponse, settle: Settle): Run {
  return watchOutgoing(response as unknown as Outgoing, sizeOf, settle);
}

function sizeOf(chunk: unknown, encoding: unknown): number {
  if (typeof chunk === "string") {
    return Buffer.byteLength(chunk, Buffer.isEncoding(encoding as string) ? (encoding as BufferEncoding) : "utf8");
  }
  return chunk instanceof Uint8Array ? chunk.byteLength : 0;
}
