import { type ClientHttp2Session, connect, constants, type IncomingHttpHeaders } from "node:http2";
import { setTimeout as sleep } from "node:timers/promises";
import type { CallInput } from "../inputs/input.ts";

/** The end of a call. */
export interface CallEnd {
  /** The status of gRPC; `undefined` if the stream ended without one. */
  readonly status: number | undefined;
  readonly message: string;
}

const CALLS_PER_CONNECTION = 200;
const MOST_RESET_MS = 1_000;

/** Makes calls over connections that it renews. */
export class CallConnection {
  readonly #port: number;
  #session: ClientHttp2Session | undefined;
  #calls = 0;

  constructor(port: number) {
    this.#port = port;
  }

  async call(input: Omit<CallInput, "kind" | "service">): Promise<CallEnd> {
    const stream = this.#open().request({ ":method": "POST", ":path": input.path, ...input.headers });
    const end: { status: number | undefined; message: string } = { status: undefined, message: "" };
    const note = (headers: IncomingHttpHeaders): void => {
      const { "grpc-status": status, "grpc-message": message = "" } = headers;
      if (status === undefined) return;
      end.status = Number(status);
      end.message = message.toString();
    };
    stream
      .on("response", note)
      .on("trailers", note)
      .on("error", () => {});
    const closed = new Promise<void>((resolve) => stream.once("close", resolve));
    stream.resume();
    stream.end(input.body);
    if (input.isReset) {
      stream.close(constants.NGHTTP2_CANCEL);
      // Node's client rarely keeps a reset to itself. Then the stream would never close.
      await Promise.race([closed, sleep(MOST_RESET_MS)]);
      stream.destroy();
    }
    await closed;
    return end;
  }

  close(): void {
    this.#session?.destroy();
    this.#session = undefined;
  }

  #open(): ClientHttp2Session {
    this.#calls += 1;
    if (this.#calls % CALLS_PER_CONNECTION === 0) {
      // Calls in flight end first.
      this.#session?.close();
      this.#session = undefined;
    }
    if (this.#session === undefined || this.#session.destroyed || this.#session.closed) {
      this.#session = connect(`http://127.0.0.1:${this.#port}`).on("error", () => {});
    }
    return this.#session;
  }
}
