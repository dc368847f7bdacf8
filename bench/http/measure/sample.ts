/** One variant in one round. */
export interface Sample {
  readonly variant: string;
  readonly round: number;
  readonly requestsPerSecond: number;
  /** What the server's process took of the processors for a request. */
  readonly cpuUsPerRequest: number;
  /** What it took of one processor: well below 1, and it was waiting for the generator, or for a processor in use. */
  readonly busy: number;
}
