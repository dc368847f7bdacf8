import { show } from "../../core/errors.ts";
import type { Words } from "../text/source.ts";
import type { RuleWords } from "./limits-file.ts";
import { hintOf, type Mistakes } from "./mistakes.ts";
import {
  type EitherShape,
  type Form,
  formOf,
  type ListShape,
  type MapShape,
  type ObjectShape,
  type Shape,
  type TextShape,
} from "./shape.ts";
import { RULE_SHAPE } from "./shapes.ts";

/** A rule, as far as it fits. */
export interface FoundRule {
  readonly words: Words;
  readonly rule: RuleWords;
}

type ByName = Readonly<Record<string, unknown>>;

/** Compares a file with its shape, and collects every mistake. */
export class ShapeCheck {
  readonly rules: FoundRule[] = [];
  readonly #mistakes: Mistakes;
  /** One for each pattern of a shape: compiled once a file. */
  readonly #patterns = new Map<string, RegExp>();

  constructor(mistakes: Mistakes) {
    this.#mistakes = mistakes;
  }

  /** A frozen copy of what fits. `undefined` if the value itself does not fit. */
  fit(value: unknown, shape: Shape, words: Words): unknown {
    const fitting = shape.kind === "either" ? alternativeFor(value, shape) : shape;
    if (fitting === undefined || !formOf(fitting).includes(formOfValue(value))) {
      return this.#refuse(value, shape, words);
    }
    switch (fitting.kind) {
      case "list":
        return this.#fitList(value as readonly unknown[], fitting, words);
      case "map":
        return this.#fitMap(value as ByName, fitting, words);
      case "object":
        return this.#fitObject(value as ByName, fitting, words);
      case "words":
        return fitting.words.includes(value as string | number) ? value : this.#refuse(value, shape, words);
      case "text":
        return this.#isText(String(value), fitting) ? value : this.#refuse(value, fitting, words);
      case "number": {
        const { least, most } = fitting;
        const isFit = Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most;
        return isFit ? value : this.#refuse(value, fitting, words);
      }
      case "flag":
        return value;
      default:
        return fitting satisfies never;
    }
  }

  /** A list with an item that does not fit does not fit, so that its other items keep their indexes. */
  #fitList(items: readonly unknown[], { of, most, expected }: ListShape, words: Words): unknown {
    const { length } = items;
    if (length === 0 || length > most) this.#mistakes.expected(words, `${expected}, 1 to ${most}`, String(length));
    const fit = items.slice(0, most).map((item, i) => this.fit(item, of, [...words, i]));
    return length === 0 || length > most || fit.includes(undefined) ? undefined : Object.freeze(fit);
  }

  #fitMap(value: ByName, { key: keyShape, of, expected }: MapShape, words: Words): unknown {
    const entries = entriesOf(value);
    if (entries.length === 0) this.#mistakes.expected(words, expected, "an empty map");
    const fit = entries.map(([key, part]): [string, unknown] => {
      const isKey = this.#isText(key, keyShape);
      if (!isKey) this.#mistakes.expected([...words, key], keyShape.expected, show(key), "key");
      const fitting = this.fit(part, of, [...words, key]);
      return [key, isKey ? fitting : undefined];
    });
    return entries.length === 0 ? undefined : frozen(fit);
  }

  #fitObject(value: ByName, shape: ObjectShape, words: Words): unknown {
    const entries = entriesOf(value);
    const fit = entries.map(([key, part]): [string, unknown] => {
      const word = Object.hasOwn(shape.words, key) ? shape.words[key] : undefined;
      const of = word?.of ?? shape.others?.find((other) => this.#isText(key, other.key))?.of;
      return [key, of === undefined ? this.#refuseWord(key, shape, words) : this.fit(part, of, [...words, key])];
    });
    const rule = frozen(fit);
    if (shape === RULE_SHAPE) this.rules.push({ words, rule });
    const missing = shape.required.filter((word) => !entries.some(([key]) => key === word));
    for (const word of missing) {
      const got = entries.length === 0 ? "an empty map" : "a map without it";
      this.#mistakes.expected(words, `the word ${show(word)}`, got);
    }
    return shape.required.every((word) => Object.hasOwn(rule, word)) ? rule : undefined;
  }

  #refuseWord(key: string, shape: ObjectShape, words: Words): undefined {
    const own = Object.keys(shape.words);
    const known = [...own, ...(shape.others ?? []).map(({ key: other }) => other.expected)];
    const most = 12;
    const listed = known.length > most ? `${known.slice(0, most).join(", ")} …` : known.join(", ");
    const hint = Object.hasOwn(shape.hints ?? {}, key) ? `; write ${shape.hints?.[key]}` : hintOf(key, own);
    const got = `${show(key)}${hint}`;
    this.#mistakes.expected([...words, key], `one of the words ${listed}`, got, "key");
    return;
  }

  #isText(text: string, { pattern, longest }: TextShape): boolean {
    // Characters, as JSON Schema counts them. A text has at least half as many as units.
    if (text.length > 2 * longest || (text.length > longest && Array.from(text).length > longest)) return false;
    if (pattern === undefined) return true;
    let compiled = this.#patterns.get(pattern);
    if (compiled === undefined) {
      compiled = new RegExp(`^(?:${pattern})$`, "u");
      this.#patterns.set(pattern, compiled);
    }
    return compiled.test(text);
  }

  #refuse(value: unknown, shape: Shape, words: Words): undefined {
    const isUnquoted = typeof value === "number" || typeof value === "boolean";
    const quoted = isUnquoted && this.#mayBe(String(value), shape) ? `; write it in quotes: "${value}"` : "";
    const hint = typeof value === "string" ? hintOf(value, knownWords(shape)) : quoted;
    this.#mistakes.expected(words, expectedBy(shape), `${shownValue(value)}${hint}`);
    return;
  }

  #mayBe(text: string, shape: Shape): boolean {
    if (shape.kind === "either") return shape.of.some((alternative) => this.#mayBe(text, alternative));
    return shape.kind === "text" && this.#isText(text, shape);
  }
}

/** As in JSON, a word without a value is no word. */
function entriesOf(value: ByName): [string, unknown][] {
  return Object.entries(value).filter(([, part]) => part !== undefined);
}

/** Without the parts that do not fit. A key named `__proto__` is a property as any other. */
function frozen(entries: [string, unknown][]): ByName {
  return Object.freeze(Object.fromEntries(entries.filter(([, part]) => part !== undefined)));
}

function formOfValue(value: unknown): Form {
  switch (typeof value) {
    case "string":
      return "text";
    case "number":
      return "number";
    case "boolean":
      return "flag";
    case "object":
      if (value === null) return "nothing";
      return Array.isArray(value) ? "list" : "map";
    default:
      return "nothing";
  }
}

/** The alternative of the value's form. */
function alternativeFor(value: unknown, { of }: EitherShape): Exclude<Shape, EitherShape> | undefined {
  const form = formOfValue(value);
  for (const shape of of) if (shape.kind !== "either" && formOf(shape).includes(form)) return shape;
  return undefined;
}

function expectedBy(shape: Shape): string {
  switch (shape.kind) {
    case "words":
      return shape.words.join(" or ");
    case "flag":
      return "true or false";
    default:
      return shape.expected;
  }
}

function knownWords(shape: Shape): readonly string[] {
  if (shape.kind === "words") return shape.words.map(String);
  return shape.kind === "either" ? shape.of.flatMap(knownWords) : [];
}

function shownValue(value: unknown): string {
  const form = formOfValue(value);
  if (form === "list" || form === "map") return `a ${form}`;
  return value === null || value === undefined ? "nothing" : show(value);
}
