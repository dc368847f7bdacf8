const MOST_STEPS = 120;

export interface TimelineCounts {
  readonly stepSeconds: number;
  readonly requests: readonly number[];
  readonly denied: readonly number[];
}

/** Requests by time, in steps that grow with the span: at most 120 of them, whatever the log's length. */
export class Timeline {
  readonly #requests: number[] = [];
  readonly #denied: number[] = [];
  #startUs = Number.NaN;
  #stepUs = 1_000_000;

  /** The counts by step, and how long a step is. */
  counts(): TimelineCounts {
    const counts = (sparse: readonly number[]): number[] => Array.from(this.#requests, (_, step) => sparse[step] ?? 0);
    return { stepSeconds: this.#stepUs / 1e6, requests: counts(this.#requests), denied: counts(this.#denied) };
  }

  /** Times must not go back. */
  add(timeUs: number, isDenied: boolean): void {
    if (Number.isNaN(this.#startUs)) this.#startUs = timeUs;
    let step = Math.floor((timeUs - this.#startUs) / this.#stepUs);
    while (step >= MOST_STEPS) {
      halve(this.#requests);
      halve(this.#denied);

      this.#stepUs *= 2;
      step = Math.floor((timeUs - this.#startUs) / this.#stepUs);
    }
    this.#requests[step] = (this.#requests[step] ?? 0) + 1;
    if (isDenied) this.#denied[step] = (this.#denied[step] ?? 0) + 1;
  }
}

/** Adds neighbours up. */
function halve(counts: number[]): void {
  const half = Math.ceil(counts.length / 2);
  for (let step = 0; step < half; step += 1) counts[step] = (counts[2 * step] ?? 0) + (counts[2 * step + 1] ?? 0);
  counts.length = half;
}
