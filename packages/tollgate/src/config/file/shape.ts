/** What a value of a limits file may be. The parser checks it, and the JSON Schema says the same. */
export type Shape = TextShape | NumberShape | WordsShape | FlagShape | ListShape | MapShape | ObjectShape | EitherShape;

export interface TextShape {
  readonly kind: "text";
  /** What errors say that was expected. */
  readonly expected: string;
  /** A regular expression for the whole text. It takes linear time. */
  readonly pattern?: string;
  readonly longest: number;
}

/** A whole number. */
export interface NumberShape {
  readonly kind: "number";
  readonly expected: string;
  readonly least: number;
  readonly most: number;
}

/** One of these. */
export interface WordsShape {
  readonly kind: "words";
  readonly words: readonly (string | number)[];
}

export interface FlagShape {
  readonly kind: "flag";
}

/** At least one. */
export interface ListShape {
  readonly kind: "list";
  readonly expected: string;
  readonly of: Shape;
  readonly most: number;
}

/** Names that the file chooses, at least one. */
export interface MapShape {
  readonly kind: "map";
  readonly expected: string;
  readonly key: TextShape;
  readonly of: Shape;
}

/** Words that are known. */
export interface ObjectShape {
  readonly kind: "object";
  readonly expected: string;
  readonly words: Readonly<Record<string, WordShape>>;
  readonly required: readonly string[];
  /** For words that are easily mistaken: what to write. */
  readonly hints?: Readonly<Record<string, string>>;
  /** Words that begin in a known way, such as `header.x-api-key`. */
  readonly others?: readonly { readonly key: TextShape; readonly of: Shape }[];
}

export interface WordShape {
  readonly of: Shape;
  readonly description: string;
}

/** Alternatives that differ in their form: text, number, flag, list or map. A map comes last. */
export interface EitherShape {
  readonly kind: "either";
  readonly expected: string;
  readonly of: readonly Shape[];
}

/** The form of a value: which alternative it is follows from it. */
export type Form = "text" | "number" | "flag" | "list" | "map" | "nothing";

export function formOf(shape: Exclude<Shape, EitherShape>): readonly Form[] {
  switch (shape.kind) {
    case "text":
      return ["text"];
    case "number":
      return ["number"];
    case "words":
      return [...new Set(shape.words.map((word): Form => (typeof word === "number" ? "number" : "text")))];
    case "flag":
      return ["flag"];
    case "list":
      return ["list"];
    case "map":
    case "object":
      return ["map"];
    default:
      return shape satisfies never;
  }
}
