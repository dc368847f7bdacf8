/** A value of a file, and where it is written. */
export type SourceNode = ScalarNode | ListNode | MapNode;

export interface ScalarNode {
  readonly kind: "scalar";
  /** In UTF-16 units from the begin of the text. */
  readonly at: number;
  readonly value: string | number | boolean | null;
}

export interface ListNode {
  readonly kind: "list";
  readonly at: number;
  readonly items: readonly SourceNode[];
}

export interface MapNode {
  readonly kind: "map";
  readonly at: number;
  /** In the order of the file. A key may come twice. */
  readonly entries: readonly Entry[];
}

export interface Entry {
  readonly key: string;
  readonly keyAt: number;
  readonly value: SourceNode;
}

/** What is wrong with a text before it has values. */
export interface TextMistake {
  readonly at: number;
  readonly message: string;
}

/** A text that was read, or what is wrong with it. */
export type ReadText = { readonly root: SourceNode } | { readonly mistakes: readonly TextMistake[] };

/** Deeper values are refused. The format itself needs nine levels. */
export const MOST_LEVELS = 32;
/** Aliases may repeat parts of a file. So many values are read in all. */
export const MOST_VALUES = 1_000_000;
