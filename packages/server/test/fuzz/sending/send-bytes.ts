import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { BytesInput } from "../inputs/input.ts";

/** What came back over a connection. */
export interface Received {
  /** The statuses of the final responses, in order. */
  readonly statuses: readonly number[];
  /** The end of what came. */
  readonly text: string;
}

const MOST_KEPT = 64 * 1024;

/** Sends bytes as the input says. Resolves when the connection is over, at the latest when the signal ends it. */
export async function sendBytes(port: number, input: BytesInput, over: AbortSignal): Promise<Received> {
  const connection = new ReceivingConnection(connect(port, "127.0.0.1"));
  const cutOff = (): void => void connection.socket.destroy();
  over.addEventListener("abort", cutOff);
  void connection.closed.then(() => over.removeEventListener("abort", cutOff));
  for (const chunk of input.chunks) {
    if (!connection.isOpen) break;
    connection.socket.write(chunk);
    if (chunk !== input.chunks.at(-1)) await sleep(input.pauseMs);
  }
  const { ending } = input;
  switch (ending.kind) {
    case "answers":
      await connection.receives(ending.count);
      connection.socket.end();
      break;
    case "half-close":
      connection.socket.end();
      break;
    case "reset":
      await Promise.race([connection.closed, sleep(ending.afterMs)]);
      connection.socket.resetAndDestroy();
      break;
    case "silence":
      break;
    default:
      return ending satisfies never;
  }
  await connection.closed;
  return connection.received;
}

/** Reads what a server sends, as far as the fuzzer looks at it. */
class ReceivingConnection {
  readonly socket: Socket;
  readonly closed: Promise<void>;
  isOpen = true;
  readonly #statuses: number[] = [];
  #text = "";
  #onStatus: (() => void) | undefined;

  constructor(socket: Socket) {
    this.socket = socket;
    socket.setEncoding("latin1").on("data", (text: string) => this.#take(text));
    // A reset is one of the ways to be cut off.
    socket.on("error", () => {});
    this.closed = new Promise((resolve) => {
      socket.once("close", () => {
        this.isOpen = false;
        this.#onStatus?.();
        resolve();
      });
    });
  }

  get received(): Received {
    return { statuses: this.#statuses, text: this.#text };
  }

  /** Resolves after so many final responses, or when the connection has closed. */
  async receives(count: number): Promise<void> {
    while (this.isOpen && this.#statuses.length < count) {
      await new Promise<void>((resolve) => {
        this.#onStatus = resolve;
      });
    }
  }

  #take(text: string): void {
    // A status line may be cut in two: the last piece without a line end is looked at again.
    const whole = this.#text + text;
    const from = Math.max(0, this.#text.length - STATUS_LENGTH + 1);
    for (const match of whole.slice(from).matchAll(STATUS)) {
      const status = Number(match[1]);
      if (status >= 200) this.#statuses.push(status);
    }
    this.#text = whole.slice(-MOST_KEPT);
    this.#onStatus?.();
  }
}

const STATUS = /HTTP\/1\.1 (\d{3}) /g;
const STATUS_LENGTH = "HTTP/1.1 200 ".length;
