import type { LimitsState } from "../limits/limits-state.ts";
import type { Peers } from "../limits/peers.ts";
import { type FromWorker, PRIMARY, type ToWorker } from "./messages.ts";
import { Questions } from "./questions.ts";

/** An answer that takes longer is not waited for. */
const PATIENCE_MS = 2_000;
/** Without limits a worker cannot start, so it waits longer for them. */
const LEAD_PATIENCE_MS = 15_000;

/** The other processes, as a worker reaches them through the primary process, and that process itself. */
export class WorkerPeers implements Peers {
  readonly own: string;
  readonly countInPrimary = true;
  readonly #send: (message: FromWorker) => void;
  readonly #questions = new Questions();
  #answer: ((question: unknown) => Promise<unknown>) | undefined;
  readonly #answerLead: (question: unknown) => Promise<unknown>;

  /** `answerLead` answers the questions of the primary process. */
  constructor(own: string, send: (message: FromWorker) => void, answerLead: (question: unknown) => Promise<unknown>) {
    this.own = own;
    this.#send = send;
    this.#answerLead = answerLead;
  }

  async ask(peer: string, question: unknown): Promise<unknown> {
    const answered = await this.#ask(peer, question, PATIENCE_MS);
    return answered.kind === "answer" ? answered.content : undefined;
  }

  onQuestion(answer: (question: unknown) => Promise<unknown>): void {
    this.#answer = answer;
  }

  /** The limits of the primary process. `undefined`: each worker reads the files itself. */
  async limits(): Promise<LimitsState | undefined> {
    const answered = await this.#ask(PRIMARY, undefined, LEAD_PATIENCE_MS);
    if (answered.kind === "answer") return answered.content as LimitsState | undefined;
    throw new Error("the primary process does not answer");
  }

  /** Takes what the primary process passes on or asks itself. */
  async take({ type, id, from, content }: Extract<ToWorker, { readonly type: "ask" | "answer" }>): Promise<void> {
    if (type === "answer") return this.#questions.take(id, content);
    const answer = from === PRIMARY ? this.#answerLead : this.#answer;
    this.#send({ type: "answer", id, to: from, content: await answer?.(content) });
  }

  #ask(to: string, content: unknown, patienceMs: number) {
    return this.#questions.ask((id) => this.#send({ type: "ask", id, to, content }), patienceMs);
  }
}
