import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { type RawReply, type Reply, ReplyReader } from "../../servers/resp.ts";

interface Waiting {
  resolve(reply: RawReply): void;
  reject(error: Error): void;
}

/** A connection for many small commands. It writes those of one turn at once. */
export class ScriptConnection {
  readonly #socket: Socket;
  readonly #reader = new ReplyReader();
  readonly #waiting: Waiting[] = [];
  #unsent = "";
  #answered = 0;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay();
    socket.on("data", (bytes) => {
      for (const reply of this.#reader.read(bytes)) this.#next()?.resolve(reply);
    });
    socket.on("error", (error) => this.#fail(error));
    socket.on("close", () => this.#fail(new Error("the connection ended before the answer came")));
  }

  static async open(port: number): Promise<ScriptConnection> {
    const socket = connect(port, "127.0.0.1");
    await once(socket, "connect");
    return new ScriptConnection(socket);
  }

  /** The reply; an error of Redis is a value here. */
  async call(command: readonly string[]): Promise<RawReply> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      if (this.#unsent === "") setImmediate(() => this.#send());
      let text = `*${command.length}\r\n`;
      for (const argument of command) text += `$${Buffer.byteLength(argument)}\r\n${argument}\r\n`;
      this.#unsent += text;
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #send(): void {
    this.#socket.write(this.#unsent);
    this.#unsent = "";
  }

  #next(): Waiting | undefined {
    const next = this.#waiting[this.#answered];
    this.#answered += 1;
    if (this.#answered < this.#waiting.length) return next;
    this.#waiting.length = 0;
    this.#answered = 0;
    return next;
  }

  #fail(error: Error): void {
    for (const { reject } of this.#waiting.splice(0).slice(this.#answered)) reject(error);
    this.#answered = 0;
  }
}

/** The numbers of a script's reply. The greatest ones are sent as text. */
export function numbersIn(reply: Reply): readonly number[] {
  return (Array.isArray(reply) ? reply : [reply]).map(Number);
}
