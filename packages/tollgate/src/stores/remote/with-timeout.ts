import { TIMED_OUT } from "./unavailable-error.ts";

/** Rejects with `TIMED_OUT` if the answer takes longer. A later answer is dropped. */
export function withTimeout<T>(ms: number, answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    // After a blocked event loop the process first reads what has arrived.
    let timer = setTimeout(() => {
      timer = setTimeout(() => reject(TIMED_OUT), 0);
    }, ms);
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
