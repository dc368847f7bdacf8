import { setImmediate } from "node:timers/promises";

/** Carries out changes one after another: the next one begins when the one before is over, whether or not it failed. */
export class ChangeQueue {
  #last: Promise<unknown> = Promise.resolve();

  run<Result>(change: () => Promise<Result> | Result): Promise<Result> {
    // Later, because what comes before may have taken long.
    const done = this.#last.then(() => setImmediate()).then(change);
    this.#last = done.catch(() => {});
    return done;
  }
}
