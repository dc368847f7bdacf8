import { type ClientHttp2Session, connect as connectHttp2, constants, type IncomingHttpHeaders } from "node:http2";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { GrpcCall } from "./grpc-inputs.ts";

/** Bytes over a connection of their own, and how it ends. */
export interface Bytes {
  readonly chunks: readonly Buffer[];
  readonly pauseMs: number;
  /** Waits for so many responses, closes its side so that the server closes the other one, or resets after a time. */
  readonly ending: { readonly answers: number } | "half-close" | { readonly resetAfterMs: number };
}

/** What came back over a connection. */
export interface Received {
  /** The statuses of the final responses, in order. */
  readonly statuses: number[];
  /** The end of what came. */
  text: string;
}

const STATUS = /HTTP\/1\.1 (\d{3}) /g;
const STATUS_LENGTH = "HTTP/1.1 200 ".length;
const MOST_KEPT = 64 * 1024;

/** Sends bytes until the connection is over. */
export async function sendBytes(port: number, { chunks, pauseMs, ending }: Bytes): Promise<Received> {
  const socket = connect(port, "127.0.0.1").setEncoding("latin1");
  const received: Received = { statuses: [], text: "" };
  let notice = (): void => {};
  const closed = new Promise<void>((resolve) => {
    socket.once("close", () => {
      notice();
      resolve();
    });
  });
  // A reset is one of the ways to be cut off.
  socket
    .on("error", () => {})
    .on("data", (text: string) => {
      keep(received, text);
      notice();
    });
  for (const chunk of chunks) {
    if (socket.destroyed) break;
    socket.write(chunk);
    if (chunk !== chunks.at(-1)) await sleep(pauseMs);
  }
  if (ending === "half-close") socket.end();
  else if ("resetAfterMs" in ending) {
    await Promise.race([closed, sleep(ending.resetAfterMs)]);
    socket.resetAndDestroy();
  } else {
    while (!socket.destroyed && received.statuses.length < ending.answers) {
      await new Promise<void>((resolve) => {
        notice = resolve;
      });
    }
    socket.end();
  }
  await closed;
  return received;
}

function keep(received: Received, text: string): void {
  // A status line may be cut in two: the last piece without a line end is looked at again.
  const from = Math.max(0, received.text.length - STATUS_LENGTH + 1);
  const whole = received.text + text;
  for (const [, status] of whole.slice(from).matchAll(STATUS)) {
    if (Number(status) >= 200) received.statuses.push(Number(status));
  }
  received.text = whole.slice(-MOST_KEPT);
}

/** The end of a call. Its status is `undefined` if the stream ended without one. */
export interface CallEnd {
  readonly status: number | undefined;
  readonly message: string;
}

const CALLS_PER_SESSION = 200;
const MOST_RESET_MS = 1_000;

/** Makes calls over sessions that it renews. */
export class GrpcClient {
  readonly #port: number;
  #session: ClientHttp2Session | undefined;
  #calls = 0;

  constructor(port: number) {
    this.#port = port;
  }

  async call({ path, headers, body, isReset }: GrpcCall): Promise<CallEnd> {
    const stream = this.#open().request({ ":method": "POST", ":path": path, ...headers });
    let end: CallEnd = { status: undefined, message: "" };
    const note = ({ "grpc-status": status, "grpc-message": message = "" }: IncomingHttpHeaders): void => {
      if (status !== undefined) end = { status: Number(status), message: String(message) };
    };
    stream
      .on("response", note)
      .on("trailers", note)
      .on("error", () => {})
      .resume();
    const closed = new Promise<void>((resolve) => stream.once("close", resolve));
    stream.end(body);
    if (isReset) {
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
  }

  #open(): ClientHttp2Session {
    this.#calls += 1;
    // Calls in flight end first.
    if (this.#calls % CALLS_PER_SESSION === 0) this.#session?.close();
    if (this.#session === undefined || this.#session.destroyed || this.#session.closed) {
      this.#session = connectHttp2(`http://127.0.0.1:${this.#port}`).on("error", () => {});
    }
    return this.#session;
  }
}
