/** Carries out changes one after another: the next one begins when the one before is over, whether or not it failed. */
export class ChangeQueue {
  #last: Promise<unknown> = Promise.resolve();

  run<Result>(change: () => Promise<Result> | Result): Promise<Result> {
    const done = this.#last.then(change);
    this.#last = done.catch(() => {});
    return done;
  }
}
