/**
 * An event of a store elsewhere, for operators. Each outage gives one `down` and, once the server is back, one `up`. An
 * outage begins when the circuit opens: the server has failed for 400 ms, at least three times in a row.
 */
export type StoreObservation = ServerDown | ServerUp | ServerProbe | BypassChange;

/** The circuit opened: `onFailure` decides from now on, at once. */
export interface ServerDown {
  readonly type: "down";
  /** The last failure, such as `"timed out"` or `"connection refused"`: no addresses, no secrets. */
  readonly cause: string;
}

/** A probe reached the server and the circuit closed: the server decides again. */
export interface ServerUp {
  readonly type: "up";
  /** Milliseconds since the first failure, which was at least 400 ms before `down`. */
  readonly downForMs: number;
}

/** The store probed the server during an outage, four times a second or less often. A success is an `up` instead. */
export interface ServerProbe {
  readonly type: "probe";
  /** Why the probe failed. */
  readonly cause: string;
}

/** The kill switch was turned. */
export interface BypassChange {
  readonly type: "bypass";
  readonly bypass: boolean;
}
