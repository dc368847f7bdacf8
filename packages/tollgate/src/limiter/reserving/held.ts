/** The places that a reservation has under one limit. */
export interface PlacesInUse {
  readonly limit: string;
  readonly count: number;
}

/** Places that a reservation has until it is over, for metrics. */
export interface Held {
  /** How many places of each limit have not freed themselves yet. */
  inUseAt(nowUs: number): PlacesInUse[];
  /** Called when they are freed. */
  onFreed: (() => void) | undefined;
}
