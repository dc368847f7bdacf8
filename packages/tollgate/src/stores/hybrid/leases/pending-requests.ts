/** Counts the requests of a node that wait for their answers, so that `close` can wait for the calls behind them. */
export class PendingRequests {
  #count = 0;
  #ended: (() => void) | undefined;

  began(): void {
    this.#count += 1;
  }

  /** Called after the next request of the same key began, if calls still wait for it. */
  answered(): void {
    this.#count -= 1;
    if (this.#count === 0) this.#ended?.();
  }

  /** Waits until no call waits for an answer. */
  async ended(): Promise<void> {
    if (this.#count === 0) return;
    await new Promise<void>((resolve) => {
      this.#ended = resolve;
    });
  }
}
