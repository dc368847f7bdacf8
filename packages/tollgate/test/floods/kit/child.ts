import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** A program of this kit in a process with an event loop of its own. It ends with this process. */
export class Child implements AsyncDisposable {
  readonly #process: ChildProcess;
  readonly #messages: unknown[] = [];
  #wake: () => void = () => {};
  #ended: string | undefined;

  constructor(program: URL, orders: unknown = {}) {
    this.#process = fork(fileURLToPath(program), [JSON.stringify(orders)], {
      execArgv: ["--import", "tsx"],
      stdio: "inherit",
    });
    this.#process.on("message", (message) => {
      this.#messages.push(message);
      this.#wake();
    });
    this.#process.on("exit", (code, signal) => {
      this.#ended = String(signal ?? code);
      this.#wake();
    });
  }

  /** Resolves with the next message of the child. */
  async receive<Message>(): Promise<Message> {
    while (this.#messages.length === 0) {
      if (this.#ended !== undefined)
        throw new Error(`expected a message of the process, got its end with ${this.#ended}`);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.#messages.shift() as Message;
  }

  /** Sends a message and resolves with the next message of the child. */
  request<Answer>(message: object): Promise<Answer> {
    this.send(message);
    return this.receive();
  }

  send(message: object): void {
    this.#process.send(message);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#ended !== undefined) return;
    this.#process.kill("SIGKILL");
    await once(this.#process, "exit");
  }
}

/** Returns the orders of this child process. From then on the process ends with its parent. */
export function ordersOfChild<Orders>(): Orders {
  process.once("disconnect", () => process.exit());
  return JSON.parse(process.argv[2]!) as Orders;
}

/** The same for a child process that starts before it has its orders: they are the first message. */
export async function ordersLater<Orders>(): Promise<Orders> {
  const [orders] = (await once(process, "message")) as [Orders];
  return orders;
}

/** Sends a message from this child process to its parent. */
export function sendToParent(message: object): void {
  process.send?.(message);
}
