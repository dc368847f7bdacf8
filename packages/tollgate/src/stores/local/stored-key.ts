/** A key as the tables of one store keep it: its text in a memory store, its hash in a table store. */
export interface StoredKey {
  readonly text: string;
  /** The two words of the hash. */
  readonly low: number;
  readonly high: number;
}

/** A key, or what another table of the same store keeps of it. */
export type TableKey = string | StoredKey;
