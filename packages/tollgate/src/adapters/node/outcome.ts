import type { ServerResponse } from "node:http";
import type { Outgoing } from "../../http/outgoing.ts";
import { watchOutgoing } from "../../http/outgoing-outcome.ts";
import type { Settle } from "../../http/settlement.ts";

/** Tells how a response ended, when it has: finished, or broken off. */
export function watchOutcome(response: ServerResponse, settle: Settle): void {
  watchOutgoing(response as unknown as Outgoing, sizeOf, settle);
}

function sizeOf(chunk: unknown, encoding: unknown): number {
  if (typeof chunk === "string") {
    return Buffer.byteLength(chunk, Buffer.isEncoding(encoding as string) ? (encoding as BufferEncoding) : "utf8");
  }
  return chunk instanceof Uint8Array ? chunk.byteLength : 0;
}
