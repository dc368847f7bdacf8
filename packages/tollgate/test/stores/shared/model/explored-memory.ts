import type { Views } from "../../../../src/stores/shared/shared-memory.ts";
import type { Operation, Value } from "./operation.ts";
import { MIXER, mixed, OTHER_MIXER } from "./state-set.ts";

/** Shared memory that can be restored, and that has a hash of its state. */
export class ExploredMemory {
  readonly views: Views;
  /** Changed words, each followed by its value before. */
  readonly #changes: number[] = [];
  /** Two 32-bit hashes of all changes. Two states of a search have the same hashes with a probability of 2^-64. */
  #hash = 0;
  #otherHash = 0;

  constructor(views: Views) {
    this.views = views;
  }

  /** The number of changes, for `undo`. */
  get mark(): number {
    return this.#changes.length;
  }

  get hash(): readonly [number, number] {
    return [this.#hash, this.#otherHash];
  }

  /** Restores the state at a mark. */
  undo(mark: number): void {
    const changes = this.#changes;
    while (changes.length > mark) {
      const before = changes.pop()!;
      this.#put(changes.pop()!, before);
    }
  }

  /** Does one step, and returns the value before it. */
  perform({ kind, word, first, second }: Operation): Value {
    const { words, pairs } = this.views;
    const before = words[word]!;
    switch (kind) {
      case "begin":
        return 0;
      case "read":
        return before;
      case "write":
        this.#change(word, Number(first));
        return 0;
      case "add":
        this.#change(word, before + Number(first));
        return before;
      case "swap":
        if (before === first) this.#change(word, Number(second));
        return before;
      case "read pair":
        return pairs[word >>> 1]!;
      case "swap pair": {
        const pair = pairs[word >>> 1]!;
        if (pair !== first) return pair;
        this.#change(word, Number(BigInt.asIntN(32, BigInt(second))));
        this.#change(word + 1, Number(BigInt(second) >> 32n));
        return pair;
      }
      default:
        return kind satisfies never;
    }
  }

  /** Whether a step would change nothing. */
  changesNothing({ kind, word, first }: Operation): boolean {
    const { words, pairs } = this.views;
    switch (kind) {
      case "begin":
      case "read":
      case "read pair":
        return true;
      case "write":
        // Most cells of a blocked key are zeros that every thread writes.
        return words[word] === first;
      case "add":
        return false;
      case "swap":
        return words[word] !== first;
      case "swap pair":
        return pairs[word >>> 1] !== first;
      default:
        return kind satisfies never;
    }
  }

  #change(word: number, value: number): void {
    this.#changes.push(word, this.views.words[word]!);
    this.#put(word, value | 0);
  }

  #put(word: number, value: number): void {
    const { words } = this.views;
    const before = words[word]!;
    this.#hash ^= mixed(word, before, MIXER) ^ mixed(word, value, MIXER);
    this.#otherHash ^= mixed(word, before, OTHER_MIXER) ^ mixed(word, value, OTHER_MIXER);
    words[word] = value;
  }
}
