import { type AtomicOperations, SharedMemory } from "../shared/shared-memory.ts";

/** What needs no atomic operation, because one thread alone has the memory. Pairs of words are BigInts. */
const PLAIN = {
  load: (view: Int32Array, index: number) => view[index],
  store(view: Int32Array, index: number, value: number) {
    view[index] = value;
    return value;
  },
  add(view: Int32Array, index: number, value: number) {
    const before = view[index]!;
    view[index] = before + value;
    return before;
  },
  compareExchange(view: Int32Array, index: number, expected: number, value: number) {
    const before = view[index];
    if (before === expected) view[index] = value;
    return before;
  },
} as unknown as AtomicOperations;

/** Memory of one thread, used as if threads shared it. A clock may call limiters in the middle of a call. */
export class PrivateMemory extends SharedMemory {
  /** @throws RangeError if there is not so much memory. */
  constructor(words: number) {
    const buffer = new ArrayBuffer(4 * words);
    const views = {
      words: new Int32Array(buffer),
      pairs: new BigInt64Array(buffer),
      numbers: new Float64Array(buffer),
    };
    super(views, PLAIN, undefined);
  }

  override swap(word: number, low: number, high: number, newLow: number, newHigh: number): boolean {
    const { words } = this;
    if (words[word] !== low || words[word + 1] !== high) return false;
    words[word] = newLow;
    words[word + 1] = newHigh;
    return true;
  }

  override isStill(word: number, low: number, high: number): boolean {
    return this.words[word] === low && this.words[word + 1] === high;
  }
}
