import { onConnectionEnd } from "./connection-end.ts";
import { countWritten, type SizeOf } from "./count-written.ts";
import { isGone, type Outgoing } from "./outgoing.ts";
import type { Settle } from "./settlement.ts";
import { isPromise } from "./when-ready.ts";

/** Runs a handler. Until the promise that it returns is settled, the request is not. */
export type Run = <Result>(handler: () => Result, statusGiven?: () => number) => Result;

/**
 * Settles a request when both its response and its handler are over.
 *
 * @returns what the handler is run by, where the adapter sees its promise. Elsewhere a handler counts as over when it
 * has answered: a request whose client went before is not settled until then.
 */
export function watchOutgoing(outgoing: Outgoing, sizeOf: SizeOf, settle: Settle): Run {
  // The client went while the limiter was asked, or somebody else has answered: nothing more will be heard.
  if (isGone(outgoing)) {
    const completed = outgoing.writableFinished && outgoing.stream?.aborted !== true;
    settle({ status: statusNow(outgoing), bytes: 0, completed });
    return (handler) => handler();
  }
  const ending = new Ending(outgoing, sizeOf, settle);
  return (handler, statusGiven) => ending.run(handler, statusGiven);
}

/** What is known of a handler. `"unseen"`: it may have work to do that no promise tells of. */
type Handler = "unseen" | "running" | "over";

class Ending {
  readonly #outgoing: Outgoing;
  readonly #settle: Settle;
  readonly #count: { readonly bytes: number };
  /** Ends the wait for the end of the connection. */
  readonly #unwatch: (() => void) | undefined;
  /** Of the answer that was given, whatever is set afterwards: 0 until there is one. */
  #status: number;
  #handler: Handler = "unseen";
  /** What is left to wait for once the response is over. */
  #ended: { readonly bytes: number; readonly completed: boolean } | undefined;

  constructor(outgoing: Outgoing, sizeOf: SizeOf, settle: Settle) {
    this.#outgoing = outgoing;
    this.#settle = settle;
    this.#status = statusNow(outgoing);
    this.#noteStatus();
    this.#count = countWritten(outgoing, sizeOf);
    outgoing.once("finish", () => this.#end(!isBrokenOff(outgoing)));
    outgoing.once("close", () => this.#end(false));
    // Of the responses to pipelined requests only the one whose turn it is has a 'close'. A stream of HTTP/2 always
    // has.
    const connection = outgoing.stream === undefined ? outgoing.req?.socket : undefined;
    this.#unwatch = connection ? onConnectionEnd(connection, () => this.#end(false)) : undefined;
  }

  run<Result>(handler: () => Result, statusGiven?: () => number): Result {
    this.#handler = "running";
    const over = () => {
      if (this.#status === 0 && this.#ended !== undefined) this.#status = statusGiven?.() ?? 0;
      this.#goOn("over");
    };
    let result: Result;
    try {
      result = handler();
    } catch (error) {
      over();
      throw error;
    }
    if (!isPromise(result)) {
      this.#goOn("unseen");
      return result;
    }
    // The caller sees a rejection as it was: an unhandled one ends the process.
    return Promise.resolve(result).finally(over) as Result;
  }

  /** Frameworks and handlers call either also when the client is gone. */
  #noteStatus(): void {
    const outgoing = this.#outgoing;
    for (const name of ["writeHead", "end"] as const) {
      const write = outgoing[name];
      const answered = (): void => this.#answer();
      outgoing[name] = function noted(this: unknown, ...parameters: unknown[]) {
        const written = write.apply(this, parameters);
        answered();
        return written;
      };
    }
  }

  #answer(): void {
    // A stream of HTTP/2 that is over sends no head any more.
    if (this.#status === 0) this.#status = this.#outgoing.statusCode;
    this.#goOn(this.#handler);
  }

  #end(completed: boolean): void {
    if (this.#ended !== undefined) return;
    this.#unwatch?.();
    // Where the stream of HTTP/2 was used directly, its head is sent by no `writeHead`.
    if (this.#status === 0) this.#status = statusNow(this.#outgoing);
    const bytes = hasBody(this.#outgoing, this.#status) ? this.#count.bytes : 0;
    this.#ended = { bytes, completed };
    this.#goOn(this.#handler);
  }

  #goOn(handler: Handler): void {
    this.#handler = handler;
    if (this.#ended === undefined || handler === "running") return;
    const { bytes, completed } = this.#ended;
    if (handler === "unseen" && !completed && this.#status === 0) return;
    this.#settle({ status: this.#status, bytes, completed });
  }
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
