import { onConnectionEnd } from "./connection-end.ts";
import { countWritten, type SizeOf } from "./count-written.ts";
import { isGone, type Outgoing } from "./outgoing.ts";
import type { Settle } from "./settlement.ts";

/** Tells how a response of Node ended, when it has: finished, or broken off. */
export function watchOutgoing(outgoing: Outgoing, sizeOf: SizeOf, settle: Settle): void {
  // The client went while the limiter was asked, or somebody else has answered: nothing more will be heard.
  if (isGone(outgoing)) {
    const completed = outgoing.writableFinished && outgoing.stream?.aborted !== true;
    settle({ status: statusNow(outgoing), bytes: 0, completed });
    return;
  }
  const head = noteStatus(outgoing);
  const count = countWritten(outgoing, sizeOf);
  const tell = (completed: boolean) => {
    unwatch?.();
    settle({ status: head.status, bytes: hasBody(outgoing, head.status) ? count.bytes : 0, completed });
  };
  outgoing.once("finish", () => tell(!isBrokenOff(outgoing)));
  outgoing.once("close", () => tell(false));
  // Of the responses to pipelined requests only the one whose turn it is has a 'close'. A stream of HTTP/2 always has.
  const connection = outgoing.stream === undefined ? outgoing.req?.socket : undefined;
  const unwatch = connection && onConnectionEnd(connection, () => tell(false));
}

/** The status that is sent, whatever is set afterwards: 0 until there is one. */
function noteStatus(outgoing: Outgoing): { readonly status: number } {
  const head = { status: statusNow(outgoing) };
  const { writeHead } = outgoing;
  outgoing.writeHead = function writeHeadNoted(this: unknown, ...parameters: unknown[]) {
    const written = writeHead.apply(this, parameters);
    head.status = statusNow(outgoing);
    return written;
  };
  return head;
}

function statusNow({ headersSent, statusCode }: Outgoing): number {
  return headersSent ? statusCode : 0;
}

/** The response is finished, too, when its connection was closed before the last byte. */
function isBrokenOff({ stream, req }: Outgoing): boolean {
  return stream === undefined ? req?.socket?.destroyed === true : stream.aborted || !stream.writableFinished;
}

/** Node takes the body of such a response and does not send it. */
function hasBody({ req }: Outgoing, status: number): boolean {
  return req?.method !== "HEAD" && status !== 204 && status !== 304;
}
