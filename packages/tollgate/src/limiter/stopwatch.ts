import { preciseMs } from "../core/clock.ts";
import { Sampler } from "./sampler.ts";
import { isThinnedOut, type Meter } from "./taps.ts";

/**
 * Times some calls for meters, of which there is one at least. A call that is timed runs the functions that every call
 * runs. Calls that throw are not timed.
 */
export class Stopwatch {
  readonly #sampler: Sampler;
  readonly #meters: readonly Meter[];

  constructor(meters: readonly Meter[]) {
    this.#sampler = new Sampler(Math.min(...meters.map(({ sample }) => sample)));
    this.#meters = meters;
  }

  /** Counts a call over a store in this process. Says whether it is to be timed. */
  draw(): boolean {
    return this.#sampler.draw();
  }

  /** Times a call that was chosen. */
  time<T>(call: () => T): T {
    const begunMs = preciseMs();
    const result = call();
    this.ended(begunMs);
    return result;
  }

  /** Times a call over a store elsewhere. Each is: it takes far longer than the timing. */
  timeLater<T>(begunMs: number, decided: Promise<T>): Promise<T> {
    return decided.then((result) => {
      const elapsedMs = preciseMs() - begunMs;
      for (const meter of this.#meters) meter.timed(elapsedMs);
      return result;
    });
  }

  /** A call that was chosen has ended. */
  ended(begunMs: number): void {
    const elapsedMs = preciseMs() - begunMs;
    const { interval } = this.#sampler;
    for (const meter of this.#meters) if (!isThinnedOut(meter, interval)) meter.timed(elapsedMs);
  }
}
