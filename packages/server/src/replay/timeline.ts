const STEPS = 120;

export interface TimelineCounts {
  readonly stepSeconds: number;
  readonly requests: readonly number[];
  readonly denied: readonly number[];
}

/** Requests by time, in steps that grow with the span: at most 120 of them, whatever the log's length. */
export class Timeline {
  firstUs: number = Number.NaN;
  lastUs: number = Number.NaN;
  #stepUs = 1_000_000;
  readonly #requests = new Float64Array(STEPS);
  readonly #denied = new Float64Array(STEPS);

  /** The counts by step, and how long a step is. */
  counts(): TimelineCounts {
    const counts = (steps: Float64Array): number[] => [...steps.subarray(0, this.#stepOf(this.lastUs) + 1)];
    return { stepSeconds: this.#stepUs / 1e6, requests: counts(this.#requests), denied: counts(this.#denied) };
  }

  /** Times must not go back. */
  add(timeUs: number, isDenied: boolean): void {
    if (Number.isNaN(this.firstUs)) this.firstUs = timeUs;
    this.lastUs = timeUs;
    let step = this.#stepOf(timeUs);
    for (; step >= STEPS; step = this.#stepOf(timeUs)) this.#doubleSteps();
    this.#requests[step]! += 1;
    if (isDenied) this.#denied[step]! += 1;
  }

  #stepOf(timeUs: number): number {
    return Math.floor((timeUs - this.firstUs) / this.#stepUs);
  }

  #doubleSteps(): void {
    this.#stepUs *= 2;
    for (const counts of [this.#requests, this.#denied]) {
      for (let step = 0; step < STEPS / 2; step += 1) counts[step] = counts[2 * step]! + counts[2 * step + 1]!;
      counts.fill(0, STEPS / 2);
    }
  }
}
