import type { Outcome, Settle } from "./settlement.ts";

/** What is looked at of a request. */
export interface Asked {
  readonly method: string;
  /** Some runtimes, and some that stand in for one, have none. */
  readonly signal: AbortSignal | undefined;
}

/**
 * To be asked before the handler has its turn: some servers tell a signal nothing that was first asked for when the
 * client was gone.
 */
export function askedBy({ method, signal }: { readonly method: string; readonly signal?: AbortSignal }): Asked {
  return { method, signal };
}

/**
 * Tells how a response ended, where all that is known of it is what the handler returns: at the end of its body, when
 * that is broken off, or at once where the client has gone before. What is returned is to be sent in its place: the
 * same, or one whose body counts what is taken from it.
 */
export function watchResponse(asked: Asked, response: Response, settle: Settle): Response {
  const { body, status } = response;
  if (isGone(asked, status)) {
    settle({ status, bytes: 0, completed: false });
    return response;
  }
  if (body === null || asked.method === "HEAD" || hasNoBody(status)) {
    settle({ status, bytes: 0, completed: status !== NETWORK_ERROR });
    return response;
  }
  return new Response(
    countedBody(body, (bytes, completed) => settle({ status, bytes, completed })),
    response,
  );
}

/** Tells how a request ended whose handler failed: the runtime answers 500, if there still is a client. */
export function settleFailure(asked: Asked, settle: Settle): void {
  settle(isGone(asked, 500) ? NOTHING_SENT : { status: 500, bytes: 0, completed: false });
}

/** Whether the client went while the handler worked. Deno aborts a request that becomes a web socket, too. */
function isGone({ signal }: Asked, status: number): boolean {
  return signal?.aborted === true && status !== SWITCHING_PROTOCOLS;
}

const NOTHING_SENT: Outcome = Object.freeze({ status: 0, bytes: 0, completed: false });

const SWITCHING_PROTOCOLS = 101;

/** The status of `Response.error()`. */
const NETWORK_ERROR = 0;

/** Runtimes take no body with such a status, or do not send it. */
function hasNoBody(status: number): boolean {
  return status < 200 || status === 204 || status === 205 || status === 304;
}

function countedBody(body: ReadableStream, tell: (bytes: number, completed: boolean) => void): ReadableStream {
  const reader = body.getReader() as ReadableStreamDefaultReader<unknown>;
  let bytes = 0;
  const pull = async (controller: ReadableStreamDefaultController<unknown>) => {
    try {
      const { done, value } = await reader.read();
      if (done) {
        tell(bytes, true);
        controller.close();
        return;
      }
      bytes += sizeOf(value);
      controller.enqueue(value);
    } catch (error) {
      tell(bytes, false);
      throw error;
    }
  };
  const cancel = (reason: unknown) => {
    tell(bytes, false);
    return reader.cancel(reason);
  };
  // Nothing is read ahead of whoever takes it.
  return new ReadableStream({ pull, cancel }, { highWaterMark: 0 });
}

const UTF_8 = new TextEncoder();

/** Some runtimes take text in streams, too. */
function sizeOf(chunk: unknown): number {
  if (typeof chunk === "string") return UTF_8.encode(chunk).byteLength;
  return chunk instanceof ArrayBuffer || ArrayBuffer.isView(chunk) ? chunk.byteLength : 0;
}
