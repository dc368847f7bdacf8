import type { ThreadMemory } from "../../../core/lease-area.ts";
import { FACTS_AT, FREE, LIVE, MOST_UNITS, nextFree, stateOf, UNIT_WORDS, WRITING } from "./layout.ts";

/** What is known of a lease when it comes. */
export interface PlacedLease {
  /** Its identity: its end by the time of the script, and its number. */
  readonly endsUs: number;
  readonly number: number;
  /** Its end by the clocks of this process, both of which have to be before it. */
  readonly lastUs: number;
  readonly lastWallUs: number;
  /** The hash of its key. */
  readonly low: number;
  readonly high: number;
}

const NUMBERS = 4;
const FACTS: number = 2 * NUMBERS + 2;

/**
 * A place in shared memory for one lease. Threads spend its units by swaps. A swap succeeds only while the tag is the
 * one that the thread has read, so it never concerns a later lease in the same place.
 *
 * Units only become fewer while a tag is the same. So what a thread reports of them is at least what can be spent from
 * then on. A thread that dies between two swaps leaves units that are lost until the lease ends.
 */
export class LeasePlace {
  readonly #memory: ThreadMemory;
  readonly #at: number;
  readonly #limits: number;
  /** Scratch: numbers and the same bytes as words. */
  readonly #numbers = new Float64Array(NUMBERS + 1);
  readonly #words = new Int32Array(this.#numbers.buffer);

  constructor(memory: ThreadMemory, at: number, limits: number) {
    this.#memory = memory;
    this.#at = at;
    this.#limits = limits;
  }

  /** The tag, which belongs to the first limit's units. It may be outdated, as any plain read. */
  get tag(): number {
    return this.#memory.words[this.#at + 1]!;
  }

  /** The lease with a tag; `undefined` if the place has no lease, or another one by now. */
  read(tag: number): PlacedLease | undefined {
    const { words, atomics } = this.#memory;
    if (stateOf(tag) !== LIVE) return undefined;
    for (let fact = 0; fact < FACTS; fact += 1) this.#words[fact] = atomics.load(words, this.#factAt(fact));
    // The facts change after the tag only.
    if (atomics.load(words, this.#at + 1) !== tag) return undefined;
    const [endsUs, number, lastUs, lastWallUs] = this.#numbers as unknown as [number, number, number, number];
    return { endsUs, number, lastUs, lastWallUs, low: this.#words[FACTS - 2]!, high: this.#words[FACTS - 1]! };
  }

  /**
   * The units of a limit that are left of the lease with a tag; 0 if there is another lease by now. No more than these
   * can be spent afterwards.
   */
  left(limit: number, tag: number): number {
    const { words, atomics } = this.#memory;
    const at = this.#unitsAt(limit);
    const left = atomics.load(words, at);
    return atomics.load(words, at + 1) === tag ? left : 0;
  }

  /** The same by plain reads, which take a tenth of the time and may be outdated. */
  leftAbout(limit: number, tag: number): number {
    const { words } = this.#memory;
    const at = this.#unitsAt(limit);
    return words[at + 1] === tag ? words[at]! : 0;
  }

  /**
   * Puts a lease into the place, unless there is one. A thread that was slow finds other tags and gives up.
   *
   * @returns its tag; `undefined` if another thread was quicker.
   */
  put(lease: PlacedLease, units: readonly number[]): number | undefined {
    // Read before the place is claimed: afterwards a slow thread would replace what a later one has written.
    const before = this.#pairs();
    const [low, tag] = before[0]!;
    if (stateOf(tag) === LIVE) return undefined;
    // The thread that was writing may be dead.
    const writing = (stateOf(tag) === FREE ? tag : nextFree(tag)) + WRITING;
    const live = writing + LIVE - WRITING;
    if (!this.#memory.swap(this.#at, low, tag, 0, writing)) return undefined;
    this.#numbers.set([lease.endsUs, lease.number, lease.lastUs, lease.lastWallUs]);
    this.#words.set([lease.low, lease.high], 2 * NUMBERS);
    for (let i = 1; i < before.length; i += 1) {
      const [word, its] = before[i]!;
      const value = i < this.#limits ? Math.min(units[i]!, MOST_UNITS) : this.#words[i - this.#limits]!;
      if (!this.#memory.swap(this.#pairAt(i), word, its, value, live)) return undefined;
    }
    return this.#memory.swap(this.#at, 0, writing, Math.min(units[0]!, MOST_UNITS), live) ? live : undefined;
  }

  /** Replaces a word of the lease with a tag, if it is what the thread has read. */
  replace(limit: number, tag: number, from: number, to: number): boolean {
    return this.#memory.swap(this.#unitsAt(limit), from, tag, to, tag);
  }

  /** Spends a cost of the lease with a tag. False if it does not cover the cost, or another thread was quicker. */
  spend(costs: readonly number[], tag: number): boolean {
    if (this.#limits > 1) {
      for (let limit = 0; limit < this.#limits; limit += 1)
        if (this.leftAbout(limit, tag) < costs[limit]!) return false;
    }
    for (let limit = 0; limit < this.#limits; limit += 1) {
      // What was spent of other limits is lost then. It must not come back: it may have been reported as spent.
      if (costs[limit]! > 0 && !this.#spend(limit, costs[limit]!, tag)) return false;
    }
    return true;
  }

  /**
   * Takes what is left of the lease with a tag, so that no thread can spend it, and frees the place.
   *
   * @returns the units; `undefined` if another thread has done so.
   */
  close(tag: number): number[] | undefined {
    const units = Array.from({ length: this.#limits }, () => 0);
    // The first limit comes last: then the place may have another lease.
    for (let limit = this.#limits - 1; limit > 0; limit -= 1) units[limit] = this.#drain(limit, tag, tag) ?? 0;
    const first = this.#drain(0, tag, nextFree(tag));
    if (first === undefined) return undefined;
    units[0] = first;
    return units;
  }

  #spend(limit: number, cost: number, tag: number): boolean {
    const { words } = this.#memory;
    const at = this.#unitsAt(limit);
    for (;;) {
      // Plain reads: the swap succeeds only if both are current.
      const left = words[at]!;
      if (left < cost || words[at + 1] !== tag) return false;
      if (this.#memory.swap(at, left, tag, left - cost, tag)) return true;
    }
  }

  #drain(limit: number, tag: number, newTag: number): number | undefined {
    const { words, atomics } = this.#memory;
    const at = this.#unitsAt(limit);
    for (;;) {
      const left = atomics.load(words, at);
      if (atomics.load(words, at + 1) !== tag) return undefined;
      if (this.#memory.swap(at, left, tag, 0, newTag)) return left;
    }
  }

  /** The pairs of the limits' units, then those of the facts. */
  #pairs(): [low: number, high: number][] {
    const { words, atomics } = this.#memory;
    return Array.from({ length: this.#limits + FACTS }, (_, i) => {
      const at = this.#pairAt(i);
      return [atomics.load(words, at), atomics.load(words, at + 1)];
    });
  }

  #pairAt(i: number): number {
    return i < this.#limits ? this.#unitsAt(i) : this.#factAt(i - this.#limits);
  }

  #unitsAt(limit: number): number {
    return this.#at + limit * UNIT_WORDS;
  }

  #factAt(fact: number): number {
    return this.#at + FACTS_AT + 2 * fact;
  }
}
