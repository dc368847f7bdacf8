/** A key that a node knows. */
export interface KnownKey {
  /** Whether the server may count leases of this key for the node. */
  readonly isLive: boolean;
  /** Gives back what the key holds, and forgets it. */
  forget(): void;
}

/** The most keys of which a store knows something, for all its limiters. */
const MOST_KEYS = 16_384;
/** So many keys with leases are looked at before one of them is forgotten. */
const MOST_SPARED = 8;

/** The keys of all limiters of one store, those that were added first before others. */
export class KnownKeys {
  readonly #keys = new Set<KnownKey>();

  /** Adds a key, and forgets another one if there are too many. */
  add(key: KnownKey): void {
    if (this.#keys.size >= MOST_KEYS) this.#forgetOne();
    this.#keys.add(key);
  }

  delete(key: KnownKey): void {
    this.#keys.delete(key);
  }

  /** Forgets an old key, without leases if there is one soon: a flood of new keys should not evict those in use. */
  #forgetOne(): void {
    let tries = MOST_SPARED;
    for (const key of this.#keys) {
      this.#keys.delete(key);
      tries -= 1;
      if (!key.isLive || tries === 0) {
        key.forget();
        return;
      }
      this.#keys.add(key);
    }
  }
}
