/** One variant with so many calls in flight: what its process found out. */
export interface Measured {
  readonly inFlight: number;
  readonly decisionsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** What the client's process took of the processors for a decision. */
  readonly clientUs: number;
  /** The server's time in commands for a decision. */
  readonly commandUs: number;
  /** What the server's main thread took of a processor for a decision. */
  readonly serverUs: number;
  readonly commandsPerDecision: number;
}

/** The same, in one round. */
export interface Sample extends Measured {
  readonly variant: string;
  readonly round: number;
}

/** What was found out about a variant before it was measured. */
export interface Weight {
  readonly variant: string;
  /** `MEMORY USAGE` of a key, for a user key of 16 characters. */
  readonly bytes: number;
}
