/** The value of a word or of a pair of words. */
export type Value = number | bigint;

/** One step of a thread: the beginning of a call, or one access of the shared memory. */
export interface Operation {
  readonly kind: "begin" | "read" | "write" | "add" | "swap" | "read pair" | "swap pair";
  /** The index of the word; for a pair that of its lower word. */
  readonly word: number;
  /** The value that is written or added, or that a swap expects. */
  readonly first: Value;
  /** The new value of a swap. */
  readonly second: Value;
}

export const BEGIN: Operation = { kind: "begin", word: 0, first: 0, second: 0 };

/** How many words an operation accesses. */
export function wordsOf({ kind }: Operation): 0 | 1 | 2 {
  if (kind === "begin") return 0;
  return kind === "read pair" || kind === "swap pair" ? 2 : 1;
}

export function isRead({ kind }: Operation): boolean {
  return kind === "read" || kind === "read pair";
}
