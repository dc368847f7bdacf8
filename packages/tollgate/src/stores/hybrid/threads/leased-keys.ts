import { LEASE_HEADER_WORDS, LEASE_KEY_WORDS, type LeaseArea } from "../../../core/lease-area.ts";
import { OWNER_AT, SIZING_AT, USED_AT, wrappedMs } from "./layout.ts";

/** So many keys are looked at to find one. */
const KEYS_PER_SET = 8;
/** All leases of a key have ended after this time without a request, so another key may have its words. */
const IDLE_MS = 12_000;

export const NOWHERE = -1;

/**
 * Which key has which words of a lease area. It is a hint, because each lease has the hash of its key. So it does no
 * harm if a thread uses words that have come to another key, or if a key has words twice for a while.
 */
export class LeasedKeys {
  readonly #area: LeaseArea;
  readonly #sets: number;
  readonly #keysPerSet: number;

  constructor(area: LeaseArea) {
    this.#area = area;
    this.#keysPerSet = Math.min(KEYS_PER_SET, area.keys);
    this.#sets = Math.floor(area.keys / this.#keysPerSet);
  }

  /** The first word of the key with this hash; `NOWHERE` if it has none. */
  find(low: number, high: number): number {
    const { words } = this.#area.memory;
    const from = this.#firstOf(low);
    for (let i = 0; i < this.#keysPerSet; i += 1) {
      const at = from + i * LEASE_KEY_WORDS;
      if (words[at + OWNER_AT] === low && words[at + OWNER_AT + 1] === high) return at;
    }
    return NOWHERE;
  }

  /** Finds the words of a key, or gives it those of an idle key; `NOWHERE` if all are in use. */
  findOrAdd(low: number, high: number, us: number): number {
    const found = this.find(low, high);
    if (found !== NOWHERE) return found;
    const { memory } = this.#area;
    const from = this.#firstOf(low);
    for (let i = 0; i < this.#keysPerSet; i += 1) {
      const at = from + i * LEASE_KEY_WORDS;
      const [ownLow, ownHigh] = [memory.words[at + OWNER_AT]!, memory.words[at + OWNER_AT + 1]!];
      const isFree = (ownLow === 0 && ownHigh === 0) || this.#isIdle(at, us);
      if (!(isFree && memory.swap(at + OWNER_AT, ownLow, ownHigh, low, high))) continue;
      this.noteUse(at, us);
      // The demand of the key that was there before does not count.
      memory.numbers[(at + SIZING_AT) / 2] = 0;
      // Another thread may have added the key at the same time: both use the first words of it.
      return this.find(low, high);
    }
    return NOWHERE;
  }

  noteUse(at: number, us: number): void {
    this.#area.memory.words[at + USED_AT] = wrappedMs(us);
  }

  #isIdle(at: number, us: number): boolean {
    const forMs = (wrappedMs(us) - this.#area.memory.words[at + USED_AT]!) | 0;
    // A clock that was set back would keep it for ever.
    return forMs >= IDLE_MS || forMs < -IDLE_MS;
  }

  #firstOf(low: number): number {
    const set = Math.floor(((low >>> 0) / 2 ** 32) * this.#sets);
    return this.#area.at + LEASE_HEADER_WORDS + set * this.#keysPerSet * LEASE_KEY_WORDS;
  }
}
