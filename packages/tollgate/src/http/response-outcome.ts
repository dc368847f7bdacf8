import type { Outcome, Settle } from "./settlement.ts";

/** What is looked at of a request. Some runtimes, and some that stand in for one, have no signal. */
interface Asked {
  readonly method: string;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Tells how a response ended, where all that is known of it is what the handler returns: at the end of its body, or when that is
 * broken off. What is returned is to be sent in its place: the same, or one whose body counts what is taken from it.
 */
export function watchResponse({ method }: Asked, response: Response, settle: Settle): Response {
  const { body, status } = response;
  if (body === null || method === "HEAD" || hasNoBody(status)) {
    settle({ status, bytes: 0, completed: status !== NETWORK_ERROR });
    return response;
  }
  return new Response(
    countedBody(body, (bytes, completed) => settle({ status, bytes, completed })),
    response,
  );
}

/**
 * Tells that nothing was sent, when the client goes before there is a response.
 *
 * @returns a function that ends the watch: to be called when there is one.
 */
export function watchClient({ signal }: Asked, settle: Settle): () => void {
  if (signal === undefined) return () => {};
  // Not at once: Deno aborts a request that becomes a web socket, too, and then its handler answers.
  const gone = () => void setTimeout(() => settle(NOTHING_SENT), 0);
  if (signal.aborted) gone();
  signal.addEventListener("abort", gone);
  return () => signal.removeEventListener("abort", gone);
}

/** Tells how a request ended whose handler failed: the runtime answers 500, if there still is a client. */
export function settleFailure({ signal }: Asked, settle: Settle): void {
  settle(signal?.aborted === true ? NOTHING_SENT : { status: 500, bytes: 0, completed: false });
}

const NOTHING_SENT: Outcome = Object.freeze({ status: 0, bytes: 0, completed: false });

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
