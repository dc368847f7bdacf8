/** The outcomes of the requests for one key. */
export interface KeyTally {
  admitted: number;
  /** The admitted requests that were decided without Redis. */
  degraded: number;
  denied: number;
  /** Requests denied because Redis was unavailable. */
  unavailable: number;
}

export function emptyTally(): KeyTally {
  return { admitted: 0, degraded: 0, denied: 0, unavailable: 0 };
}

/** The outcomes of a flood. */
export interface Findings {
  readonly byKey: Readonly<Record<number, KeyTally>>;
}

export function sumOf({ byKey }: Pick<Findings, "byKey">): KeyTally {
  const sum = emptyTally();
  for (const tally of Object.values(byKey)) {
    sum.admitted += tally.admitted;
    sum.degraded += tally.degraded;
    sum.denied += tally.denied;
    sum.unavailable += tally.unavailable;
  }
  return sum;
}

/** The largest value of `what` over all keys. */
export function mostOf({ byKey }: Pick<Findings, "byKey">, what: (tally: KeyTally) => number): number {
  return Math.max(0, ...Object.values(byKey).map(what));
}
