import {
  type IncomingHttpHeaders,
  performServerHandshake,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import type { Socket } from "node:net";
import { type CallContext, UnaryCall } from "./unary-call.ts";

/** With less memory, in megabytes, Node would refuse calls of connections whose answers are many and unread. */
const SESSION = { settings: { maxConcurrentStreams: 1_000 }, maxSessionMemory: 100 };

/** A connection of a client, with its calls. */
export class GrpcConnection {
  readonly session: ServerHttp2Session;
  readonly #socket: Socket;
  readonly #idleMs: number;
  #isAwaitingPong = false;
  #calledMs = performance.now();
  #hasCalled = false;

  constructor(
    socket: Socket,
    { pingMs, idleMs }: { readonly pingMs: number; readonly idleMs: number },
    context: CallContext,
  ) {
    this.#socket = socket;
    this.#idleMs = idleMs;
    this.session = performServerHandshake(socket, SESSION);
    this.session.on("error", () => {});
    this.session.on(
      "stream",
      (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, _flags: number, lines: string[]) => {
        this.#hasCalled = true;
        new UnaryCall(stream, context).begin(headers, lines);
      },
    );
    const pings = setInterval(() => this.#ping(), pingMs).unref();
    this.session.once("close", () => clearInterval(pings));
  }

  /**
   * After a frame of a wrong size, Node reads no more of its connection, and does not notice that the client has gone.
   * The session emits no event. So only a ping without an answer tells. A client has until the next ping to answer.
   */
  #ping(): void {
    const nowMs = performance.now();
    if (this.#hasCalled) this.#calledMs = nowMs;
    this.#hasCalled = false;
    if (this.#isAwaitingPong) this.destroy();
    else if (nowMs - this.#calledMs > this.#idleMs) void this.close();
    else if (!this.session.destroyed) {
      this.#isAwaitingPong = true;
      this.session.ping(() => {
        this.#isAwaitingPong = false;
      });
    }
  }

  /** Answers the calls that are under way. */
  close(): Promise<void> {
    return new Promise((resolve) => {
      this.session.once("close", () => resolve());
      this.session.close();
    });
  }

  destroy(): void {
    this.session.destroy();
    this.#socket.destroy();
  }
}
