import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { type Argument, encodeCommand, type RawReply, ReplyReader } from "./resp.ts";

interface Waiting {
  resolve(reply: RawReply): void;
  reject(error: Error): void;
}

/** A connection to Redis without a client library. It writes the commands of one turn at once. */
export class RawConnection {
  readonly socket: Socket;
  readonly #reader = new ReplyReader();
  readonly #waiting: Waiting[] = [];
  #failure = new Error("the connection ended before the answer came");

  constructor(socket: Socket) {
    this.socket = socket;
    socket.setNoDelay();
    socket.on("data", (bytes) => {
      for (const reply of this.#reader.read(bytes)) this.#waiting.shift()?.resolve(reply);
    });
    socket.on("error", (error) => {
      this.#failure = error;
    });
    socket.on("close", () => {
      for (const { reject } of this.#waiting.splice(0)) reject(this.#failure);
    });
  }

  static async open(port: number): Promise<RawConnection> {
    const socket = connect(port, "127.0.0.1");
    await once(socket, "connect");
    return new RawConnection(socket);
  }

  /** The reply; an error of Redis is a value here. Rejects if the connection ends first. */
  async call(...command: readonly Argument[]): Promise<RawReply> {
    return new Promise((resolve, reject) => {
      if (this.socket.destroyed) {
        reject(this.#failure);
        return;
      }
      this.#waiting.push({ resolve, reject });
      if (this.socket.writableCorked === 0) {
        this.socket.cork();
        setImmediate(() => this.socket.uncork());
      }
      this.socket.write(encodeCommand(command));
    });
  }

  close(): void {
    this.socket.destroy();
  }
}
