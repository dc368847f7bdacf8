/** What a word, or a pair of words, was. */
export type Value = number | bigint;

/** One step of a thread: the beginning of a call, or one access of the shared memory. */
export interface Operation {
  readonly kind: "begin" | "read" | "write" | "add" | "swap" | "read pair" | "swap pair";
  /** The index of the word; of a pair, of its lower one. */
  readonly word: number;
  /** What is written or added, or what a swap expects to be there. */
  readonly first: Value;
  /** What a swap puts there. */
  readonly second: Value;
}

export const BEGIN: Operation = { kind: "begin", word: 0, first: 0, second: 0 };

/** How many words it is about. */
export function wordsOf({ kind }: Operation): 0 | 1 | 2 {
  if (kind === "begin") return 0;
  return kind === "read pair" || kind === "swap pair" ? 2 : 1;
}

export function isRead({ kind }: Operation): boolean {
  return kind === "read" || kind === "read pair";
}
