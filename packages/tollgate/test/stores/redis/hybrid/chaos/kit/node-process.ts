import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import type { NodeCommand, NodeOrders } from "./stoppable-node.ts";

const PROGRAM = fileURLToPath(new URL("stoppable-node.ts", import.meta.url));

/** A node in a process of its own, which ends with the test. */
export class NodeProcess {
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  static async start(orders: NodeOrders): Promise<NodeProcess> {
    const child = fork(PROGRAM, [JSON.stringify(orders)], { execArgv: ["--import", "tsx"], stdio: "inherit" });
    onTestFinished(() => {
      child.kill("SIGKILL");
    });
    const node = new NodeProcess(child);
    await node.#message();
    return node;
  }

  async ask(command: NodeCommand): Promise<number> {
    const answer = this.#message();
    this.#child.send(command);
    return Number(await answer);
  }

  /** Sends a command that the process reads when it goes on. */
  askLater(command: NodeCommand): () => Promise<number> {
    const answer = this.#message();
    this.#child.send(command);
    return async () => Number(await answer);
  }

  /** SIGSTOP */
  stop(): void {
    this.#child.kill("SIGSTOP");
  }

  /** SIGCONT */
  goOn(): void {
    this.#child.kill("SIGCONT");
  }

  /** SIGKILL. Resolves when the process is gone. */
  async kill(): Promise<void> {
    const ended = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await ended;
  }

  async #message(): Promise<unknown> {
    const ended = once(this.#child, "exit").then(([code]: unknown[]) => {
      throw new Error(`expected a message of the process, got exit code ${String(code)}`);
    });
    ended.catch(() => {});
    const [message] = (await Promise.race([once(this.#child, "message"), ended])) as [unknown];
    return message;
  }
}
