import type { IncomingMessage, ServerResponse } from "node:http";
import type { Http2ServerResponse } from "node:http2";
import { countWritten, type Writable } from "../../http/count-written.ts";
import type { Settle } from "../../http/settlement.ts";
import { isGone } from "./response.ts";

/** Tells how a response ended, when it has: finished, or broken off. */
export function watchOutcome(request: IncomingMessage, response: ServerResponse, settle: Settle): void {
  // A client that went while the limiter was asked: nothing will be sent.
  if (isGone(response)) {
    settle({ status: 0, bytes: 0, completed: false });
    return;
  }
  const count = countWritten(response as unknown as Writable, sizeOf);
  const tell = (completed: boolean) => {
    const status = response.headersSent ? response.statusCode : 0;
    settle({ status, bytes: hasBody(request, status) ? count.bytes : 0, completed });
  };
  response.once("finish", () => tell(!isBrokenOff(response)));
  response.once("close", () => tell(false));
}

/** A response of HTTP/2 is finished also when its stream was closed before, or between its end and its last byte. */
function isBrokenOff(response: ServerResponse): boolean {
  const { stream } = response as Partial<Pick<Http2ServerResponse, "stream">>;
  return stream !== undefined && (stream.aborted || !stream.writableFinished);
}

/** Node takes the body of such a response and does not send it. */
function hasBody({ method }: IncomingMessage, status: number): boolean {
  return method !== "HEAD" && status !== 204 && status !== 304;
}

function sizeOf(chunk: unknown, encoding: unknown): number {
  if (typeof chunk === "string") {
    return Buffer.byteLength(chunk, Buffer.isEncoding(encoding as string) ? (encoding as BufferEncoding) : "utf8");
  }
  return chunk instanceof Uint8Array ? chunk.byteLength : 0;
}
