import { type WasmIsStill, type WasmMemory, type WasmPairs, type WasmSwap, wasmPairs } from "./wasm-swap.ts";

/** The part of `Atomics` that the store uses. Tests replace it by a scheduler. */
export type AtomicOperations = Pick<typeof Atomics, "add" | "compareExchange" | "load" | "store">;

/** What threads pass to each other. WebAssembly memory is preferred, because it swaps in a third of the time. */
export type SharedBytes = SharedArrayBuffer | WasmMemory;

/** Views of the same shared bytes: words, pairs of words, and numbers. */
export interface Views {
  readonly words: Int32Array;
  readonly pairs: BigInt64Array;
  readonly numbers: Float64Array;
}

/**
 * The memory that threads share. Threads change a pair of words atomically by a swap. The even index of its lower word
 * names a pair.
 */
export class SharedMemory implements Views {
  readonly words: Int32Array;
  readonly pairs: BigInt64Array;
  readonly numbers: Float64Array;
  readonly atomics: AtomicOperations;
  /** Scratch for two pairs, as words and as the BigInts that `Atomics` takes. */
  readonly #words = new Int32Array(4);
  readonly #pairs = new BigInt64Array(this.#words.buffer);

  readonly #swap: WasmSwap | undefined;
  readonly #isStill: WasmIsStill | undefined;

  constructor({ words, pairs, numbers }: Views, atomics: AtomicOperations, wasm: WasmPairs | undefined) {
    this.#swap = wasm?.swap;
    this.#isStill = wasm?.isStill;
    this.words = words;
    this.pairs = pairs;
    this.numbers = numbers;
    this.atomics = atomics;
  }

  /** Atomically replaces a pair by another: false, and no change, if the expected pair is not there. */
  swap(word: number, low: number, high: number, newLow: number, newHigh: number): boolean {
    const wasm = this.#swap;
    if (wasm !== undefined) return wasm(4 * word, low, high, newLow, newHigh) === 1;
    const words = this.#words;
    words[0] = low;
    words[1] = high;
    words[2] = newLow;
    words[3] = newHigh;
    const expected = this.#pairs[0]!;
    return this.atomics.compareExchange(this.pairs, word >>> 1, expected, this.#pairs[1]!) === expected;
  }

  /** Whether a pair atomically equals what two separate reads found. */
  isStill(word: number, low: number, high: number): boolean {
    const wasm = this.#isStill;
    if (wasm !== undefined) return wasm(4 * word, low, high) === 1;
    this.#words[0] = low;
    this.#words[1] = high;
    return this.atomics.load(this.pairs, word >>> 1) === this.#pairs[0]!;
  }
}

export function viewsOf(buffer: SharedArrayBuffer): Views {
  return { words: new Int32Array(buffer), pairs: new BigInt64Array(buffer), numbers: new Float64Array(buffer) };
}

export function openMemory(bytes: SharedBytes): SharedMemory {
  return bytes instanceof SharedArrayBuffer
    ? new SharedMemory(viewsOf(bytes), Atomics, undefined)
    : new SharedMemory(viewsOf(bytes.buffer), Atomics, wasmPairs(bytes));
}
