import type { Duration } from "tollgate";

/** How fast a client gets requests back. */
export interface Refill {
  /** A whole number. */
  readonly units: number;
  readonly per: Duration;
  /** As the command line has it, such as `0.5 per second`. */
  readonly text: string;
}
