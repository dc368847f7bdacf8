/** What one thread, or process, did. */
export interface ThreadSample {
  /** The window, which began for all at the same time. */
  readonly startMs: number;
  readonly endMs: number;
  /** Within the window. */
  readonly calls: number;
  /** With those of the warm-up. */
  readonly callsInAll: number;
  readonly admittedInAll: number;
}

/** Decisions a second of all threads together: until the last one was done. */
export function perSecondOf(samples: readonly ThreadSample[]): number {
  const startMs = Math.min(...samples.map((sample) => sample.startMs));
  const endMs = Math.max(...samples.map((sample) => sample.endMs));
  return (sumOf(samples, ({ calls }) => calls) * 1_000) / (endMs - startMs);
}

export function sumOf(samples: readonly ThreadSample[], pick: (sample: ThreadSample) => number): number {
  return samples.reduce((sum, sample) => sum + pick(sample), 0);
}
