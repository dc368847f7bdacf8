import type { Duration } from "tollgate";

/** How fast a client gets requests back. */
export interface Refill {
  /** At most six decimal places. */
  readonly units: number;
  readonly per: Duration;
  /** As the command line has it, such as `0.5 per second`. */
  readonly text: string;
}
