import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Requests of one connection that are served at once. A client that pipelines gains no more by a greater number. */
export const MOST_AT_ONCE = 16;

/**
 * Bounds how many requests of one connection are served at once. Node calls the listener for every request in 64 KiB,
 * which may be some thousand, and reads on up to 32 times: other clients would wait for all of them. Here they wait for
 * the bound.
 */
export function inTurn(listener: RequestListener, most: number = MOST_AT_ONCE): RequestListener {
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

/** The requests of one connection: those that are served, and a queue of those that are not yet. */
class Connection {
  readonly #socket: Socket;
  readonly #listener: RequestListener;
  readonly #most: number;
  #served = 0;
  #waiting: [IncomingMessage, ServerResponse][] = [];
  /** Of the first in the queue: to shift a long array takes long. */
  #next = 0;
  #scheduled = false;

  constructor(socket: Socket, listener: RequestListener, most: number) {
    this.#socket = socket;
    this.#listener = listener;
    this.#most = most;
    socket.once("close", () => this.#clear());
    // Node resumes by itself what it has paused for a client that does not read. The queue must not grow by that.
    socket.on("resume", () => {
      if (this.#isWaiting()) socket.pause();
    });
  }

  take(request: IncomingMessage, response: ServerResponse): void {
    if (this.#served < this.#most && !this.#isWaiting()) {
      this.#serve(request, response);
      return;
    }
    this.#waiting.push([request, response]);
    // What came in one piece comes in spite of it; nothing more is read until the queue is empty.
    this.#socket.pause();
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    this.#served += 1;
    response.once("close", () => this.#over());
    this.#listener(request, response);
  }

  #over(): void {
    this.#served -= 1;
    if (!this.#isWaiting() || this.#scheduled) return;
    this.#scheduled = true;
    // Not at once: other connections have their turn in between.
    setImmediate(() => this.#serveNext());
  }

  #serveNext(): void {
    this.#scheduled = false;
    while (this.#served < this.#most && this.#isWaiting()) {
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
