import { isRead, type Operation, wordsOf } from "./operation.ts";

/** A word changed that the exploration took for constant. */
export class ChangeOfConstant extends Error {}

/**
 * Records which threads read and write which words, in all runs of a scenario so far.
 *
 * A word that no thread changes is constant, and reading it is not a step. Two threads' steps interfere if one writes a
 * word that the other reads or writes; other steps need not be tried in another order. Both facts are learned by
 * exploring. When one turns out to be wrong, the exploration starts again, until it adds nothing.
 */
export class SharedWords {
  /** Grows with each new fact. */
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

  /** @throws ChangeOfConstant always: the exploration has to start again. */
  noteChange(operation: Operation): never {
    this.version += 1;
    for (let i = 0; i < wordsOf(operation); i += 1) this.#isChanged[operation.word + i] = 1;
    throw new ChangeOfConstant(`word ${operation.word}: expected it to be constant`);
  }

  /** Records a step of a thread. A failed swap counts as a write, too. */
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

  /** Whether the order of this step and other threads' steps matters. It does for the beginning of a call. */
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
