import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** The requests of one connection that are served at once. More would not make a pipelining client faster. */
export const MOST_AT_ONCE = 16;

/**
 * Bounds how many requests of one connection are served at once. Node calls the listener for every request in 64 KiB,
 * which may be some thousand, and reads up to 32 times in a row. Other clients would wait for all of these requests.
 */
export function boundPipelining(listener: RequestListener, most: number = MOST_AT_ONCE): RequestListener {
  return (request, response) => {
    const socket: BoundSocket = request.socket;
    socket[CONNECTION] ??= new Connection(socket, listener, most);
    socket[CONNECTION].take(request, response);
  };
}

/**
 * Announces that the response to the latest request of a connection is the last one. Further requests are not served.
 *
 * @returns that response if it has begun without saying so: the connection has to be ended after it.
 */
export function announceEnd(socket: Socket): ServerResponse | undefined {
  return (socket as BoundSocket)[CONNECTION]?.announceEnd();
}

/** Whether a response of a connection is not over. */
export function isAnswering(socket: Socket): boolean {
  return (socket as BoundSocket)[CONNECTION]?.isAnswering === true;
}

/** A property is faster than a `WeakMap`. */
const CONNECTION = Symbol("connection");

type BoundSocket = Socket & { [CONNECTION]?: Connection };
type BoundResponse = ServerResponse & { [CONNECTION]?: Connection };

/**
 * One listener for all responses: one for each would cost every request a closure. The response knows its connection:
 * a request whose body was not read to its end has lost its socket by then.
 */
function over(this: ServerResponse): void {
  (this as BoundResponse)[CONNECTION]?.over();
}

/** The requests of one connection: some are being served, the others wait in a queue. */
class Connection {
  readonly #socket: Socket;
  readonly #listener: RequestListener;
  readonly #most: number;
  #served = 0;
  #waiting: [IncomingMessage, ServerResponse][] = [];
  /** The index of the first waiting request: `shift` is slow on long arrays. */
  #next = 0;
  #scheduled = false;
  /** The response to the latest request that is served, while one is. */
  #latest: ServerResponse | undefined;
  /** A response has announced that it is the connection's last. */
  #isEnding = false;

  constructor(socket: Socket, listener: RequestListener, most: number) {
    this.#socket = socket;
    this.#listener = listener;
    this.#most = most;
    socket.once("close", () => this.#clear());
    // Node resumes sockets that it has paused for clients that do not read. The queue must not grow then.
    socket.on("resume", () => {
      if (this.#isWaiting()) socket.pause();
    });
  }

  take(request: IncomingMessage, response: ServerResponse): void {
    if (this.#isEnding) return;
    if (this.#served < this.#most && !this.#isWaiting()) {
      this.#serve(request, response);
      return;
    }
    this.#waiting.push([request, response]);
    // Requests that have been read still arrive. Nothing more is read until the queue is empty.
    this.#socket.pause();
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    this.#served += 1;
    this.#latest = response;
    // Further requests are not served (RFC 9112, 9.6): their responses would be lost, and what they had taken, too.
    this.#isEnding = response.getHeader("connection") === "close";
    (response as BoundResponse)[CONNECTION] = this;
    response.on("close", over);
    this.#listener(request, response);
  }

  /** A response has ended. */
  over(): void {
    this.#served -= 1;
    if (this.#served === 0) this.#latest = undefined;
    if (!this.#isWaiting() || this.#scheduled) return;
    this.#scheduled = true;
    // Later, so that other connections are served in between.
    setImmediate(() => this.#serveNext());
  }

  get isAnswering(): boolean {
    return this.#served > 0 || this.#isWaiting();
  }

  announceEnd(): ServerResponse | undefined {
    const waiting = this.#isWaiting() ? this.#waiting.at(-1)?.[1] : undefined;
    const last = waiting ?? this.#latest;
    if (last?.headersSent !== false) return last;
    last.setHeader("connection", "close");
    // One that waits says so when it is served: those before it are served as well.
    this.#isEnding = waiting === undefined;
    return undefined;
  }

  #serveNext(): void {
    this.#scheduled = false;
    while (this.#served < this.#most && this.#isWaiting() && !this.#isEnding) {
      const [request, response] = this.#waiting[this.#next] as [IncomingMessage, ServerResponse];
      this.#next += 1;
      this.#serve(request, response);
    }
    if (this.#isWaiting() || this.#waiting.length === 0) return;
    this.#clear();
    this.#socket.resume();
  }

  #isWaiting(): boolean {
    return this.#next < this.#waiting.length;
  }

  #clear(): void {
    this.#waiting = [];
    this.#next = 0;
  }
}
