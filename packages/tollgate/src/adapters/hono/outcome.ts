import type { Outgoing } from "../../http/outgoing.ts";
import { type Run, watchOutgoing } from "../../http/outgoing-outcome.ts";
import type { Settle } from "../../http/settlement.ts";

const UTF_8 = new TextEncoder();

/** Settles a request when the response of Node's server and the handler are over, and runs the handler. */
export function watchOutcome(outgoing: Outgoing, settle: Settle): Run {
  return watchOutgoing(outgoing, sizeOf, settle);
}

function sizeOf(chunk: unknown): number {
  if (typeof chunk === "string") return UTF_8.encode(chunk).byteLength;
  return chunk instanceof Uint8Array ? chunk.byteLength : 0;
}
