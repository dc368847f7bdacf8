import type { Clock } from "../../core/clock.ts";
import type { CountedCells, ThreadCounts } from "../../core/store-readings.ts";
import {
  COUNT_ROW,
  COUNTED_AT,
  COUNTED_END_AT,
  COUNTED_WORDS,
  COUNTS_AT,
  lineAt,
  MOST_COUNTS,
} from "./memory-layout.ts";
import { readText, textWords, writeText } from "./packed-text.ts";
import type { SharedMemory } from "./shared-memory.ts";

/**
 * Numbers that each thread counts in cells of its own, without atomic operations, and that all threads can read. They
 * appear by one swap, complete, and stay when their thread has ended.
 *
 * A cell is a float of 64 bits, aligned: engines write it at once, so a reader sees the number before or after.
 */
export class SharedCounts implements ThreadCounts {
  readonly clock: Clock;
  readonly #memory: SharedMemory;
  /** The cells of this thread, by what they count. */
  readonly #own = new Map<string, Float64Array>();
  /** Those of all threads that this thread has read. */
  readonly #read: CountedCells[] = [];

  constructor(memory: SharedMemory, clock: Clock) {
    this.clock = clock;
    this.#memory = memory;
  }

  claim(text: string, length: number): Float64Array | undefined {
    const known = this.#own.get(text);
    if (known !== undefined) return known;
    const at = this.#write(text, length);
    if (at === undefined || !this.#publish(at)) return undefined;
    const made = this.#cellsAt(at);
    this.#own.set(text, made.cells);
    return made.cells;
  }

  all(): readonly CountedCells[] {
    const { words, atomics } = this.#memory;
    while (this.#read.length < MOST_COUNTS) {
      const at = atomics.load(words, COUNTS_AT + this.#read.length * COUNT_ROW);
      if (at === 0) break;
      this.#read.push(this.#cellsAt(at));
    }
    return this.#read;
  }

  /** Takes words that no other thread has, and writes the text there. The cells are 0. */
  #write(text: string, length: number): number | undefined {
    const { words, atomics } = this.#memory;
    const needed = lineAt(1 + textWords(text)) + lineAt(2 * length);
    // Only a thread that finds space takes it: others may need less.
    if (words[COUNTED_END_AT]! + needed > COUNTED_WORDS) return undefined;
    const from = atomics.add(words, COUNTED_END_AT, needed);
    if (from + needed > COUNTED_WORDS) return undefined;
    const at = COUNTED_AT + from;
    words[at] = length;
    writeText(words, at + 1, text);
    return at;
  }

  #publish(at: number): boolean {
    for (let row = this.all().length; row < MOST_COUNTS; row += 1) {
      if (this.#memory.swap(COUNTS_AT + row * COUNT_ROW, 0, 0, at, 0)) return true;
    }
    return false;
  }

  #cellsAt(at: number): CountedCells {
    const { words, numbers } = this.#memory;
    const text = readText(words, at + 1);
    const cellsAt = (at + lineAt(1 + textWords(text))) / 2;
    return { text, cells: numbers.subarray(cellsAt, cellsAt + words[at]!) };
  }
}
