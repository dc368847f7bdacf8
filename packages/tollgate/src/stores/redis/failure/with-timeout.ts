import { TIMED_OUT } from "./unavailable-error.ts";

/** Rejects with `TIMED_OUT` if the answer takes longer, after it has called `gaveUp`. A later answer is dropped. */
export function withTimeout<T>(ms: number, answer: Promise<T>, gaveUp: () => void = () => {}): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = () => {
      gaveUp();
      reject(TIMED_OUT);
    };
    // After a blocked event loop the process first reads what has arrived.
    let timer = setTimeout(() => {
      timer = setTimeout(giveUp, 0);
    }, ms);
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
