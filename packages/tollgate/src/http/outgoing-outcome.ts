import { isPromise } from "../core/checks.ts";
import { isGone, type Outgoing, onResponseEnd } from "./outgoing.ts";
import type { Settle } from "./settlement.ts";

/** Runs a handler. The request is not settled before the promise that the handler returns. */
export type RunHandler = <Result>(handler: () => Result, statusGiven?: () => number) => Result;

/** The bytes of a chunk in an encoding; 0 for anything that is not a chunk. */
export type SizeOf = (chunk: unknown, encoding: unknown) => number;

/**
 * Settles a request when its response has ended and its handler has finished.
 *
 * @returns a function that runs the handler, for adapters that see its promise. Without it, a handler counts as
 * finished when it has answered: if the client goes first, the request is settled at the handler's answer.
 */
export function watchOutgoing(outgoing: Outgoing, sizeOf: SizeOf, settle: Settle): RunHandler {
  // The client went or other code answered while the limiter was asked: no more events will follow.
  if (isGone(outgoing)) {
    const completed = outgoing.writableFinished && outgoing.stream?.aborted !== true;
    settle({ status: statusNow(outgoing), bytes: 0, completed });
    return (handler) => handler();
  }
  const watch = new OutgoingWatch(outgoing, sizeOf, settle);
  return (handler, statusGiven) => watch.run(handler, statusGiven);
}

/** `"unseen"`: the handler may have work to do of which the adapter sees no promise. */
type HandlerState = "unseen" | "running" | "finished";

class OutgoingWatch {
  readonly #outgoing: Outgoing;
  readonly #settle: Settle;
  readonly #count: { readonly bytes: number };
  /** The status at the handler's answer: later assignments do not count. 0 before there is an answer. */
  #status: number;
  #handler: HandlerState = "unseen";
  /** Set when the response has ended. */
  #ended: { readonly bytes: number; readonly completed: boolean } | undefined;

  constructor(outgoing: Outgoing, sizeOf: SizeOf, settle: Settle) {
    this.#outgoing = outgoing;
    this.#settle = settle;
    this.#status = statusNow(outgoing);
    this.#watchAnswer();
    this.#count = countWritten(outgoing, sizeOf);
    onResponseEnd(outgoing, (event) => this.#end(event === "finish" && !isBrokenOff(outgoing)));
  }

  run<Result>(handler: () => Result, statusGiven?: () => number): Result {
    this.#handler = "running";
    const finished = () => {
      if (this.#status === 0 && this.#ended !== undefined) this.#status = statusGiven?.() ?? 0;
      this.#proceed("finished");
    };
    let result: Result;
    try {
      result = handler();
    } catch (error) {
      finished();
      throw error;
    }
    if (!isPromise(result)) {
      this.#proceed("unseen");
      return result;
    }
    // The caller gets the rejection unchanged: an unhandled one ends the process.
    return Promise.resolve(result).finally(finished) as Result;
  }

  /** Frameworks and handlers call `writeHead` or `end` even if the client has gone. */
  #watchAnswer(): void {
    const outgoing = this.#outgoing;
    for (const name of ["writeHead", "end"] as const) {
      const write = outgoing[name];
      const answered = (): void => this.#answer();
      outgoing[name] = function watched(this: unknown, ...parameters: unknown[]) {
        const written = write.apply(this, parameters);
        answered();
        return written;
      };
    }
  }

  #answer(): void {
    // A closed stream of HTTP/2 sends no head, so `headersSent` stays false.
    if (this.#status === 0) this.#status = this.#outgoing.statusCode;
    this.#proceed(this.#handler);
  }

  #end(completed: boolean): void {
    // A handler that uses the stream of HTTP/2 directly sends the head without `writeHead`.
    if (this.#status === 0) this.#status = statusNow(this.#outgoing);
    const bytes = hasBody(this.#outgoing, this.#status) ? this.#count.bytes : 0;
    this.#ended = { bytes, completed };
    this.#proceed(this.#handler);
  }

  /** Settles once both the response and the handler are over. */
  #proceed(handler: HandlerState): void {
    this.#handler = handler;
    if (this.#ended === undefined || handler === "running") return;
    const { bytes, completed } = this.#ended;
    if (handler === "unseen" && !completed && this.#status === 0) return;
    this.#settle({ status: this.#status, bytes, completed });
  }
}

/** Counts the bytes of later calls of `write` and `end`. */
function countWritten(outgoing: Outgoing, sizeOf: SizeOf): { readonly bytes: number } {
  const count = { bytes: 0 };
  // `end` may call `write`, or the other way round.
  let isCounting = false;
  const counting = (write: Outgoing["write"]): Outgoing["write"] =>
    function writeCounted(this: unknown, chunk: unknown, encoding: unknown, ...others: unknown[]) {
      // Node does not send what comes after the end.
      if (isCounting || outgoing.writableEnded) return write.call(this, chunk, encoding, ...others);
      isCounting = true;
      try {
        count.bytes += sizeOf(chunk, encoding);
        return write.call(this, chunk, encoding, ...others);
      } finally {
        isCounting = false;
      }
    };
  outgoing.write = counting(outgoing.write);
  outgoing.end = counting(outgoing.end);
  return count;
}

function statusNow({ headersSent, statusCode }: Outgoing): number {
  return headersSent ? statusCode : 0;
}

/** Node emits 'finish' even if the connection closed before the last byte. */
function isBrokenOff({ stream, req }: Outgoing): boolean {
  return stream === undefined ? req?.socket?.destroyed === true : stream.aborted || !stream.writableFinished;
}

/** Node accepts the body of such a response, and does not send it. */
function hasBody({ req }: Outgoing, status: number): boolean {
  return req?.method !== "HEAD" && status !== 204 && status !== 304;
}
