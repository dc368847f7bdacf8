import type { Outgoing } from "../../http/outgoing.ts";
import { watchOutgoing } from "../../http/outgoing-outcome.ts";
import type { Settle } from "../../http/settlement.ts";

const UTF_8 = new TextEncoder();

/** Tells how the response of Node's server ended, when it has: finished, or broken off. */
export function watchOutcome(outgoing: Outgoing, settle: Settle): void {
  watchOutgoing(outgoing, sizeOf, settle);
}

function sizeOf(chunk: unknown): number {
  if (typeof chunk === "string") return UTF_8.encode(chunk).byteLength;
  return chunk instanceof Uint8Array ? chunk.byteLength : 0;
}
