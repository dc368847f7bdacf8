import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** The requests of one connection that are served at once. More would not make a pipelining client faster. */
export const MOST_AT_ONCE = 16;

/**
 * Bounds how many requests of one connection are served at once. Node calls the listener for every request in 64 KiB,
 * which may be some thousand, and reads up to 32 times in a row. Other clients would wait for all of these requests.
 */
export function boundPipelining(listener: RequestListener, most: number = MOST_AT_ONCE): RequestListener {
  const connections = new WeakMap<Socket, Connection>();
  return (request, response) => {
    const { socket } = request;
    let connection = connections.get(socket);
    if (connection === undefined) {
      connection = new Connection(socket, listener, most);
      connections.set(socket, connection);
    }
    connection.take(request, response);
  };
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
  /** The response to the latest request that is served, or was. */
  #latest: ServerResponse | undefined;

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
    if (this.#isEnding()) return;
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
    response.once("close", () => this.#over());
    this.#listener(request, response);
  }

  #over(): void {
    this.#served -= 1;
    if (!this.#isWaiting() || this.#scheduled) return;
    this.#scheduled = true;
    // Later, so that other connections are served in between.
    setImmediate(() => this.#serveNext());
  }

  #serveNext(): void {
    this.#scheduled = false;
    while (this.#served < this.#most && this.#isWaiting() && !this.#isEnding()) {
      const [request, response] = this.#waiting[this.#next] as [IncomingMessage, ServerResponse];
      this.#next += 1;
      this.#serve(request, response);
    }
    if (this.#isWaiting() || this.#waiting.length === 0) return;
    this.#clear();
    this.#socket.resume();
  }

  /**
   * Whether a response announces that it is the connection's last. Further requests are not served (RFC 9112, 9.6):
   * their responses would be lost, and what they had taken, too.
   */
  #isEnding(): boolean {
    return this.#latest?.getHeader("connection") === "close";
  }

  #isWaiting(): boolean {
    return this.#next < this.#waiting.length;
  }

  #clear(): void {
    this.#waiting = [];
    this.#next = 0;
  }
}
