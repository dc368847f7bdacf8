/** What a store counts anyway, as of now. It leaves out what it does not know. */
export interface StoreReadings {
  /** How many keys it keeps, with idle ones. */
  readonly keys?: number;
  /** The calls so far whose key got no slot. */
  readonly overflowed?: number;
  /** How many idle keys it has dropped so far. */
  readonly swept?: number;
  /** How many keys are blocked. A store with very many may estimate it. */
  readonly blocked?: number;
  /** Whether calls reach the server of a store elsewhere. */
  readonly breaker?: "closed" | "open" | "half-open";
  /** What a hybrid store did so far. */
  readonly leases?: LeaseReadings;
}

/** What a hybrid store did since it was created. Units are those of each plan's first limit. */
export interface LeaseReadings {
  /** Requests to the server, of which a batch has many: calls that were asked, renewals and returns. */
  readonly asks: number;
  /** Decisions that needed no answer of the server. */
  readonly decidedLocally: number;
  /** Calls that waited for the server's answer. */
  readonly waited: number;
  /** Units that were taken in advance. */
  readonly leased: number;
  /** Units of leases that were spent. */
  readonly spent: number;
  /** Units of leases that were given back. */
  readonly returned: number;
  /** Units of leases that ended unspent. */
  readonly expired: number;
}

/** A message to the server of a store elsewhere, with the calls that it carried. */
export interface SentBatch {
  /** How many calls it carried; identical calls that share an answer count once. */
  readonly calls: number;
  /** How many keys it concerned. */
  readonly keys: number;
  /** When it was sent, in milliseconds since the epoch. */
  readonly sentAtMs: number;
  /** How long it took until the answer, or until the store gave it up. */
  readonly durationMs: number;
  /** Why it failed; `undefined` if the server answered. */
  readonly failure: string | undefined;
}
