import { ownCopy } from "../../../core/text-memory.ts";
import { MOST_KEYS } from "../space-on-server.ts";

/** A key's own cells, and what the server was not charged with yet, both in the order of cells. */
export interface LocalKey {
  readonly cells: Float64Array;
  readonly uncharged: Float64Array;
}

/** The keys that limiters of one name with equal limits count in this process. */
export class LocalKeys {
  #keys = new Map<string, LocalKey>();
  /** How many spaces use them. */
  users = 0;

  find(key: string): LocalKey | undefined {
    return this.#keys.get(key);
  }

  /** The key that was added first, if there is no capacity for another one. */
  get surplus(): string | undefined {
    return this.#keys.size < MOST_KEYS ? undefined : this.#keys.keys().next().value;
  }

  add(key: string, known: LocalKey): void {
    // A sliced string would keep its parent alive.
    this.#keys.set(ownCopy(key), known);
  }

  forget(key: string): void {
    this.#keys.delete(key);
  }

  clear(): void {
    this.#keys = new Map();
  }

  names(): readonly string[] {
    return [...this.#keys.keys()];
  }
}
