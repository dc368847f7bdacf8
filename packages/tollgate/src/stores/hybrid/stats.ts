/** What a hybrid store did since it was created. Units are those of each plan's first limit. */
export interface HybridStats {
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

/** The counts behind `HybridStats`. */
export type LeaseStats = { -readonly [Name in keyof HybridStats]: number };

export function createStats(): LeaseStats {
  return { asks: 0, decidedLocally: 0, waited: 0, leased: 0, spent: 0, returned: 0, expired: 0 };
}
