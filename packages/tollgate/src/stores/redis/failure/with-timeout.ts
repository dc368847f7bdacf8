import { TIMED_OUT } from "./outage.ts";

/**
 * What comes in time, or an outage. `gaveUp` is called before the outage is told; what comes later is dropped.
 */
export function withTimeout<T>(ms: number, answer: Promise<T>, gaveUp: () => void = () => {}): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = () => {
      gaveUp();
      reject(TIMED_OUT);
    };
    // A process that was busy has to read what came meanwhile, before it says that nothing came.
    let timer = setTimeout(() => {
      timer = setTimeout(giveUp, 0);
    }, ms);
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
