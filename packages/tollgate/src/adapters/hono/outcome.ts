import { countWritten } from "../../http/count-written.ts";
import type { Settle } from "../../http/settlement.ts";
import type { Outgoing } from "./bindings.ts";

const UTF_8 = new TextEncoder();

/** Whether nothing can be sent any more: the client went. */
export function isGone({ destroyed, stream }: Outgoing): boolean {
  return destroyed ?? stream?.destroyed === true;
}

/** Tells how the response of Node's server ended, when it has: finished, or broken off. */
export function watchOutgoing(outgoing: Outgoing, settle: Settle): void {
  // A client that went while the limiter was asked: nothing will be sent.
  if (isGone(outgoing)) {
    settle({ status: 0, bytes: 0, completed: false });
    return;
  }
  const count = countWritten(outgoing, sizeOf);
  const tell = (completed: boolean) => {
    settle({ status: outgoing.headersSent ? outgoing.statusCode : 0, bytes: count.bytes, completed });
  };
  outgoing.once("finish", () => tell(!isBrokenOff(outgoing)));
  outgoing.once("close", () => tell(false));
}

/** A response of HTTP/2 is finished also when its stream was closed before, or between its end and its last byte. */
function isBrokenOff({ stream }: Outgoing): boolean {
  return stream !== undefined && (stream.aborted || !stream.writableFinished);
}

function sizeOf(chunk: unknown): number {
  if (typeof chunk === "string") return UTF_8.encode(chunk).byteLength;
  return chunk instanceof Uint8Array ? chunk.byteLength : 0;
}
