import { monotonicMs } from "./monotonic.ts";

const ARRIVED = 0;
/** How often all have met. */
const MEETINGS = 1;
const BYTES = 16;
/** Where the moment of the last meeting is, among numbers. */
const MOMENT = 1;

/** Where threads wait for each other. */
export class Barrier {
  readonly #threads: number;
  readonly #words: Int32Array;
  readonly #numbers: Float64Array;

  constructor(memory: SharedArrayBuffer, threads: number) {
    this.#threads = threads;
    this.#words = new Int32Array(memory);
    this.#numbers = new Float64Array(memory);
  }

  static memory(): SharedArrayBuffer {
    return new SharedArrayBuffer(BYTES);
  }

  /** Waits for all, and says when the last one came. */
  meet(): number {
    const meeting = Atomics.load(this.#words, MEETINGS);
    if (Atomics.add(this.#words, ARRIVED, 1) + 1 === this.#threads) {
      Atomics.store(this.#words, ARRIVED, 0);
      this.#numbers[MOMENT] = monotonicMs();
      Atomics.add(this.#words, MEETINGS, 1);
      Atomics.notify(this.#words, MEETINGS);
    } else {
      Atomics.wait(this.#words, MEETINGS, meeting);
    }
    // Until this thread comes again, nobody writes the next moment.
    return this.#numbers[MOMENT]!;
  }
}
