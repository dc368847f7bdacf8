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
  readonly names: ReadonlySet<string>;
  readonly countInPrimary = true;
  readonly #send: (message: FromWorker) => void;
  readonly #questions = new Questions();
  #answer: ((question: unknown) => Promise<unknown>) | undefined;
  readonly #answerLead: (question: unknown) => Promise<unknown>;

  /** One of `count` workers. `answerLead` answers the questions of the primary process. */
  constructor(
    own: string,
    count: number,
    send: (message: FromWorker) => void,
    answerLead: (question: unknown) => Promise<unknown>,
  ) {
    this.own = own;
    this.names = new Set(Array.from({ length: count }, (_, i) => String(i + 1)));
    this.#send = send;
    this.#answerLead = answerLead;
  }

  async ask(peer: string, question: unknown): Promise<unknown> {
    const answered = await this.#ask((id) => ({ type: "ask", id, to: peer, content: question }), PATIENCE_MS);
    return answered.kind === "answer" ? answered.content : undefined;
  }

  onQuestion(answer: (question: unknown) => Promise<unknown>): void {
    this.#answer = answer;
  }

  /** The limits of the primary process. `undefined`: each worker reads the files itself. */
  async limits(): Promise<LimitsState | undefined> {
    const answered = await this.#ask((id) => ({ type: "begin", id }), LEAD_PATIENCE_MS);
    if (answered.kind === "answer") return answered.content as LimitsState | undefined;
    throw new Error("the primary process does not answer");
  }

  /** Takes what the primary process passes on or asks itself. */
  async take({ type, id, from, content }: Extract<ToWorker, { readonly type: "ask" | "answer" }>): Promise<void> {
    if (type === "answer") return this.#questions.take(id, content);
    const answer = from === PRIMARY ? this.#answerLead : this.#answer;
    this.#send({ type: "answer", id, to: from, content: await answer?.(content) });
  }

  #ask(question: (id: number) => FromWorker, patienceMs: number) {
    return this.#questions.ask((id) => this.#send(question(id)), patienceMs);
  }
}
