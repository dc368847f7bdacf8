import type { ThreadMemory } from "../../../core/lease-area.ts";
import type { HeldDenial } from "../leases/held.ts";
import { DENIAL_AT, DENIAL_OWNER_AT, DENIAL_VERSION_AT } from "./layout.ts";

/** The last denial of a key, which all threads honour: each would ask the server otherwise. */
export class SharedDenial {
  readonly #memory: ThreadMemory;
  readonly #limits: number;
  /** The hash of the key. The words may come to another one. */
  readonly #low: number;
  readonly #high: number;

  constructor(memory: ThreadMemory, limits: number, low: number, high: number) {
    this.#memory = memory;
    this.#limits = limits;
    this.#low = low;
    this.#high = high;
  }

  /** The denial in force. */
  find(key: number, us: number): HeldDenial | undefined {
    const { words, numbers, atomics } = this.#memory;
    const version = atomics.load(words, key + DENIAL_VERSION_AT);
    const at = (key + DENIAL_AT) / 2;
    const untilUs = numbers[at]!;
    const isOwn = words[key + DENIAL_OWNER_AT] === this.#low && words[key + DENIAL_OWNER_AT + 1] === this.#high;
    if (!isOwn || us >= untilUs || version % 2 !== 0) return undefined;
    const costs = Array.from({ length: this.#limits }, (_, limit) => numbers[at + 1 + limit]!);
    return atomics.load(words, key + DENIAL_VERSION_AT) === version ? { untilUs, costs } : undefined;
  }

  /** Notes a denial. One with an end in the past ends what was noted before. */
  note(key: number, { untilUs, costs }: HeldDenial): void {
    const { words, numbers, atomics } = this.#memory;
    const version = atomics.load(words, key + DENIAL_VERSION_AT);
    // A thread that is writing goes first. If it is dead, its version is passed over the next time.
    const writing = (version + (version % 2 === 0 ? 1 : 2)) | 0;
    if (atomics.compareExchange(words, key + DENIAL_VERSION_AT, version, writing) !== version) return;
    const at = (key + DENIAL_AT) / 2;
    numbers[at] = untilUs;
    for (let limit = 0; limit < this.#limits; limit += 1) numbers[at + 1 + limit] = costs[limit]!;
    words[key + DENIAL_OWNER_AT] = this.#low;
    words[key + DENIAL_OWNER_AT + 1] = this.#high;
    atomics.compareExchange(words, key + DENIAL_VERSION_AT, writing, (writing + 1) | 0);
  }
}
