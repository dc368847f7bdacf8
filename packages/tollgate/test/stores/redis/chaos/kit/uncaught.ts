/** Collects unhandled errors of this process during a run. */
export class Uncaught {
  readonly errors: unknown[] = [];
  readonly #listener = (error: unknown): void => {
    this.errors.push(error);
  };

  start(): void {
    process.on("unhandledRejection", this.#listener);
    process.on("uncaughtException", this.#listener);
  }

  stop(): void {
    process.off("unhandledRejection", this.#listener);
    process.off("uncaughtException", this.#listener);
  }
}
