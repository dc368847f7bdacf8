import { isRead, type Operation, wordsOf } from "./operation.ts";

/** A word changed that nobody had been seen to change: what was found so far took it for constant. */
export class ChangeOfConstant extends Error {}

/**
 * Which threads have been seen to read and to write which words, in all runs of a scenario so far.
 *
 * A word that nobody changes is a constant: to read it is no step. A step that no other thread's can interfere with, because none writes
 * what it reads or reads what it writes, need not be tried in another order. Both are found out by exploring: whoever relies on it begins
 * again when it turns out to be otherwise, until a whole exploration has added nothing.
 */
export class SharedWords {
  /** Grows whenever something is found out. */
  version = 0;
  readonly #isChanged: Uint8Array;
  /** A bit for each thread. */
  readonly #readers: Uint8Array;
  readonly #writers: Uint8Array;

  constructor(words: number) {
    this.#isChanged = new Uint8Array(words);
    this.#readers = new Uint8Array(words);
    this.#writers = new Uint8Array(words);
  }

  isConstant(operation: Operation): boolean {
    const { word } = operation;
    if (wordsOf(operation) === 2 && this.#isChanged[word + 1] === 1) return false;
    return this.#isChanged[word] === 0;
  }

  /** @throws ChangeOfConstant always: it has to be begun again. */
  noteChange(operation: Operation): never {
    this.version += 1;
    for (let i = 0; i < wordsOf(operation); i += 1) this.#isChanged[operation.word + i] = 1;
    throw new ChangeOfConstant(`word ${operation.word}: expected it to be constant`);
  }

  /** Notes that a thread does this. A swap counts as a write even where it fails. */
  note(operation: Operation, thread: number): void {
    const bit = 1 << thread;
    const seen = isRead(operation) ? this.#readers : this.#writers;
    for (let i = 0; i < wordsOf(operation); i += 1) {
      const word = operation.word + i;
      if ((seen[word]! & bit) !== 0) continue;
      seen[word]! |= bit;
      this.version += 1;
    }
  }

  /** Whether it matters when, among other threads' steps, a thread does this: the beginning of a call is such a step. */
  interferes(operation: Operation, thread: number): boolean {
    const others = ~(1 << thread);
    for (let i = 0; i < wordsOf(operation); i += 1) {
      const word = operation.word + i;
      const seen = isRead(operation) ? this.#writers[word]! : this.#writers[word]! | this.#readers[word]!;
      if ((seen & others) !== 0) return true;
    }
    return operation.kind === "begin";
  }
}
