import type { Peers } from "../limits/peers.ts";
import type { FromWorker, ToWorker } from "./messages.ts";

/** An answer that takes longer is not waited for. */
const PATIENCE_MS = 2_000;

/** The other workers, as one of them reaches them through the primary process. */
export class WorkerPeers implements Peers {
  readonly own: string;
  readonly #send: (message: FromWorker) => void;
  readonly #waiting = new Map<number, (answer: unknown) => void>();
  #questions = 0;
  #answer: ((question: unknown) => Promise<unknown>) | undefined;

  constructor(own: string, send: (message: FromWorker) => void) {
    this.own = own;
    this.#send = send;
  }

  ask(peer: string, question: unknown): Promise<unknown> {
    return new Promise((resolve) => {
      this.#questions += 1;
      const id = this.#questions;
      const late = setTimeout(() => this.#waiting.get(id)?.(undefined), PATIENCE_MS);
      this.#waiting.set(id, (answer) => {
        clearTimeout(late);
        this.#waiting.delete(id);
        resolve(answer);
      });
      this.#send({ type: "ask", id, to: peer, content: question });
    });
  }

  onQuestion(answer: (question: unknown) => Promise<unknown>): void {
    this.#answer = answer;
  }

  /** Takes what the primary process passes on. */
  async take({ type, id, from, content }: Extract<ToWorker, { readonly type: "ask" | "answer" }>): Promise<void> {
    if (type === "answer") this.#waiting.get(id)?.(content);
    else this.#send({ type: "answer", id, to: from, content: await this.#answer?.(content) });
  }
}
