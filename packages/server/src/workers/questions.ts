/** What became of a question to another process. */
export type Answered =
  | { readonly kind: "answer"; readonly content: unknown }
  /** It took too long. The other process may still do what it was asked for. */
  | { readonly kind: "late" }
  /** The other process has ended. */
  | { readonly kind: "gone" };

/** The questions to another process that wait for their answers. */
export class Questions {
  readonly #waiting = new Map<number, (answered: Answered) => void>();
  #asked = 0;

  /** Sends a question with its id, and waits for the answer. */
  ask(send: (id: number) => void, patienceMs: number): Promise<Answered> {
    return new Promise((resolve) => {
      this.#asked += 1;
      const id = this.#asked;
      const late = setTimeout(() => this.#waiting.get(id)?.({ kind: "late" }), patienceMs);
      this.#waiting.set(id, (answered) => {
        clearTimeout(late);
        this.#waiting.delete(id);
        resolve(answered);
      });
      send(id);
    });
  }

  /** Takes an answer. One that comes too late is ignored. */
  take(id: number, content: unknown): void {
    this.#waiting.get(id)?.({ kind: "answer", content });
  }

  /** The other process has ended: it answers no more. */
  end(): void {
    for (const answer of this.#waiting.values()) answer({ kind: "gone" });
  }
}
