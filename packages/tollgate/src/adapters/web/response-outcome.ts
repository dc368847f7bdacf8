import type { RequestPlaces } from "../../http/request-places.ts";
import type { KeepAlive, Outcome, Settle } from "../../http/settlement.ts";
import type { Pass } from "../../http/verdict.ts";

/** What is known of a request before the handler runs. */
interface WatchedRequest {
  readonly method: string;
  /** Some runtimes, and some objects that stand in for a runtime's request, have none. */
  readonly signal: AbortSignal | undefined;
}

/**
 * Runs the handler of a request that passes. By its response, or its failure, the request is settled and its places are
 * freed. If one of `others`, what a runtime hands over beside the request, has a `waitUntil`, the runtime waits for
 * that.
 *
 * @param noResponse what it means if the handler returns no response: that one is sent which cannot be seen here, or
 *   that none is sent.
 * @returns what the handler returned; or, for a response that is watched, a copy whose body counts its bytes.
 */
export async function answerAndSettle<Answer>(
  pass: Pass,
  request: Request,
  others: readonly unknown[],
  answer: () => Promise<Answer>,
  noResponse: "unseen" | "failure",
): Promise<Answer | Response> {
  const { places, settlement } = pass;
  if (places === undefined && settlement === undefined) return answer();
  const keepAlive = keepAliveOf(others);
  places?.keepAliveBy(keepAlive);
  settlement?.keepAliveBy(keepAlive);
  if (places === undefined && settlement?.end === undefined) return answer();
  // Before the handler runs: some servers do not abort a signal that is first read after the client has gone.
  const { method, signal } = request as { readonly method: string; readonly signal: AbortSignal | undefined };
  const watched = { method, signal };
  const settle = keptAlive(endOf(pass, watched), keepAlive);
  try {
    const answered = await answer();
    if (isResponse(answered)) return watchResponse(watched, answered, settle, places);
    if (noResponse === "unseen") settle({ status: 0, bytes: 0, completed: true });
    else settleFailure(watched, settle);
    return answered;
  } catch (error) {
    settleFailure(watched, settle);
    throw error;
  }
}

/** Checks the shape: frameworks and copies of a runtime have classes of their own. */
export function isResponse(answer: unknown): answer is Response {
  return typeof answer === "object" && answer !== null && "headers" in answer;
}

/** The last argument of a Worker's handler, and the second of Next.js middleware. */
interface ExecutionContext {
  waitUntil(task: Promise<unknown>): void;
}

/** The runtime's own function for tasks that outlast the response. */
function keepAliveOf(others: readonly unknown[]): KeepAlive | undefined {
  const context = others.find(isExecutionContext);
  return context && ((task) => context.waitUntil(task));
}

function isExecutionContext(other: unknown): other is ExecutionContext {
  return typeof other === "object" && other !== null && "waitUntil" in other && typeof other.waitUntil === "function";
}

/** Workers end all work of a request when its response is sent or its client goes. */
function keptAlive(settle: Settle, keepAlive: KeepAlive | undefined): Settle {
  if (keepAlive === undefined) return settle;
  let done = (): void => {};
  keepAlive(
    new Promise<void>((resolve) => {
      done = resolve;
    }),
  );
  return (outcome) => settle(outcome, done);
}

/** What to call at the end of a response: it frees the places of a request and settles it. */
function endOf({ places, settlement }: Pass, { signal }: WatchedRequest): Settle {
  const settle: Settle = settlement?.end ?? ((_outcome, done) => done?.());
  if (places === undefined) return settle;
  const free = places.hold();
  // If its client goes first, the places are freed at once.
  if (signal?.aborted === true) free();
  signal?.addEventListener("abort", free);
  return (outcome, done) => {
    signal?.removeEventListener("abort", free);
    free();
    settle(outcome, done);
  };
}

/**
 * Settles a request by the `Response` that its handler returned: when the body has been read or cancelled, or at once
 * if the client has gone.
 *
 * @returns the response to send: the same, or a copy whose body counts its bytes.
 */
function watchResponse(
  request: WatchedRequest,
  response: Response,
  settle: Settle,
  places: RequestPlaces | undefined,
): Response {
  const { body, status } = response;
  if (isAborted(request, status)) {
    settle({ status, bytes: 0, completed: false });
    return response;
  }
  if (body === null || request.method === "HEAD" || hasNoBody(status)) {
    settle({ status, bytes: 0, completed: status !== NETWORK_ERROR });
    return response;
  }
  const counted = countedBody(body, (bytes, completed) => settle({ status, bytes, completed }));
  places?.follow(counted);
  return new Response(counted, response);
}

/** Settles a request whose handler failed: the runtime answers 500, unless the client has gone. */
function settleFailure(request: WatchedRequest, settle: Settle): void {
  settle(isAborted(request, 500) ? NOTHING_SENT : { status: 500, bytes: 0, completed: false });
}

/** Whether the client went while the handler worked. Deno also aborts a request that becomes a web socket. */
function isAborted({ signal }: WatchedRequest, status: number): boolean {
  return signal?.aborted === true && status !== SWITCHING_PROTOCOLS;
}

const NOTHING_SENT: Outcome = Object.freeze({ status: 0, bytes: 0, completed: false });

const SWITCHING_PROTOCOLS = 101;

/** The status of `Response.error()`. */
const NETWORK_ERROR = 0;

/** Runtimes refuse the body of such a response, or do not send it. */
function hasNoBody(status: number): boolean {
  return status < 200 || status === 204 || status === 205 || status === 304;
}

function countedBody(body: ReadableStream, ended: (bytes: number, completed: boolean) => void): ReadableStream {
  const reader = body.getReader() as ReadableStreamDefaultReader<unknown>;
  let bytes = 0;
  const pull = async (controller: ReadableStreamDefaultController<unknown>) => {
    try {
      const { done, value } = await reader.read();
      if (done) {
        ended(bytes, true);
        controller.close();
        return;
      }
      bytes += sizeOfChunk(value);
      controller.enqueue(value);
    } catch (error) {
      ended(bytes, false);
      throw error;
    }
  };
  const cancel = (reason: unknown) => {
    ended(bytes, false);
    return reader.cancel(reason);
  };
  // No read-ahead: a byte counts when the runtime takes it.
  return new ReadableStream({ pull, cancel }, { highWaterMark: 0 });
}

const UTF_8 = new TextEncoder();

/** The bytes of a chunk. Text, which some runtimes accept in streams, counts as UTF-8. */
export function sizeOfChunk(chunk: unknown): number {
  if (typeof chunk === "string") return UTF_8.encode(chunk).byteLength;
  return chunk instanceof ArrayBuffer || ArrayBuffer.isView(chunk) ? chunk.byteLength : 0;
}
