/**
 * What a value of a limits file may be: a JSON Schema (draft 2020-12) of few keywords, with words for errors. The
 * parser checks values by it, and `limits.schema.json` has it without these words.
 */
export interface Shape {
  /** For errors: what was expected. */
  readonly expected: string;
  /** For errors: what to write in place of words that are easily mistaken. */
  readonly hints?: Readonly<Record<string, string>>;
  /** For errors: the words that `patternProperties` allow. */
  readonly others?: readonly string[];
  readonly description?: string;
  /** Alternatives that differ in their form. */
  readonly anyOf?: readonly Shape[];
  readonly enum?: readonly (string | number | boolean)[];
  readonly type?: Form;
  /** For a whole text. It takes linear time. */
  readonly pattern?: string;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly items?: Shape;
  /** Words that are known, or begin in a known way. */
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly patternProperties?: Readonly<Record<string, Shape>>;
  readonly required?: readonly string[];
  /** Names that the file chooses. */
  readonly propertyNames?: Shape;
  readonly minProperties?: number;
  readonly additionalProperties?: Shape | false;
}

/** The keywords that a JSON Schema does not have. */
export const WORDS_FOR_ERRORS: ReadonlySet<string> = new Set<keyof Shape>(["expected", "hints", "others"]);

/** The form of a value: which alternative it is follows from it. */
export type Form = "string" | "integer" | "boolean" | "array" | "object" | "null";
