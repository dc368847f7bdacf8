/** The words that lead to a value: names of maps, and indexes of lists. */
export type Words = readonly (string | number)[];

/** What is wrong with a text before its values are looked at. */
export interface TextMistake {
  readonly at: number;
  /** The words that lead to it, where they are known. */
  readonly words?: Words;
  readonly message: string;
}

/** A text that was read, or a value of the program, which has no positions. */
export interface Source {
  readonly value: unknown;
  readonly mistakes: readonly TextMistake[];
  /**
   * Where the deepest part is that these words lead to, or its key, in UTF-16 units from the begin of the text. Missing
   * if only the value is known.
   */
  readonly offsetOf?: (words: Words, part: "key" | "value") => number;
}

/** Deeper values are refused. The format itself needs nine levels. */
export const MOST_LEVELS = 32;

export function tooDeep(most: number): string {
  return `expected at most ${most} levels, got more`;
}
