import type { Views } from "../../../../src/stores/shared/shared-memory.ts";
import type { Operation, Value } from "./operation.ts";

const MIXER = 0x9e3779b1;
const OTHER_MIXER = 0x85ebca6b;

/** Shared memory that can be put back to what it was, and that is known by a hash. */
export class ExploredMemory {
  readonly views: Views;
  /** Words, each followed by what it was before it changed. */
  readonly #changes: number[] = [];
  /** Two hashes of 32 bits over all that has changed: two states of one search are confused about once in 2^64 pairs. */
  #hash = 0;
  #otherHash = 0;

  constructor(views: Views) {
    this.views = views;
  }

  /** How many changes there have been: for `undo`. */
  get mark(): number {
    return this.#changes.length;
  }

  get hash(): string {
    return `${this.#hash},${this.#otherHash}`;
  }

  /** Puts everything back to what it was at a mark. */
  undo(mark: number): void {
    const changes = this.#changes;
    while (changes.length > mark) {
      const before = changes.pop()!;
      this.#put(changes.pop()!, before);
    }
  }

  /** Does one step, and says what was there before it. */
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

  /** Whether a step would leave everything as it is. */
  isIdle({ kind, word, first }: Operation): boolean {
    const { words, pairs } = this.views;
    switch (kind) {
      case "begin":
      case "read":
      case "read pair":
        return true;
      case "write":
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

/** After the finalizer of MurmurHash3, twice. */
function mixed(word: number, value: number, mixer: number): number {
  let hash = Math.imul(word ^ mixer, 0xc2b2ae35);
  hash = Math.imul(hash ^ (hash >>> 15) ^ value, mixer);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}
