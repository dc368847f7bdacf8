import { show } from "../../core/errors.ts";
import type { Words } from "../text/source.ts";
import type { RuleWords } from "./limits-file.ts";
import { hintOf, type Mistakes } from "./mistakes.ts";
import type { Form, Shape } from "./shape.ts";
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
    const form = formOf(value);
    const fitting = (shape.anyOf ?? [shape]).find((one) => formsOf(one).includes(form));
    if (fitting === undefined) return this.#refuse(value, shape, words);
    if (form === "array") return this.#fitList(value as readonly unknown[], fitting, words);
    if (form === "object") return this.#fitObject(value as ByName, fitting, words);
    if (this.#isFit(value, fitting)) return value;
    return this.#refuse(value, fitting.enum === undefined ? fitting : shape, words);
  }

  #isFit(value: unknown, shape: Shape): boolean {
    if (shape.enum !== undefined) return shape.enum.includes(value as string | number | boolean);
    if (typeof value === "string") return this.#isText(value, shape);
    const { minimum = 0, maximum = 0 } = shape;
    return Number.isSafeInteger(value) && (value as number) >= minimum && (value as number) <= maximum;
  }

  /** A list with an item that does not fit does not fit, so that its other items keep their indexes. */
  #fitList(given: readonly unknown[], { items, maxItems = 0, expected }: Shape, words: Words): unknown {
    const { length } = given;
    if (length === 0 || length > maxItems) {
      this.#mistakes.expected(words, `${expected}, 1 to ${maxItems}`, String(length));
    }
    const fit = given.slice(0, maxItems).map((item, i) => items && this.fit(item, items, [...words, i]));
    return length === 0 || length > maxItems || fit.includes(undefined) ? undefined : Object.freeze(fit);
  }

  #fitObject(value: ByName, shape: Shape, words: Words): unknown {
    const { propertyNames, minProperties = 0, required = [] } = shape;
    const entries = entriesOf(value);
    if (entries.length < minProperties) this.#mistakes.expected(words, shape.expected, "an empty map");
    const fit = entries.map(([key, part]): [string, unknown] => {
      const isName = propertyNames === undefined || this.#isText(key, propertyNames);
      if (!isName) this.#mistakes.expected([...words, key], propertyNames.expected, show(key), "key");
      const of = this.#partOf(shape, key);
      const fitting = of === undefined ? this.#refuseWord(key, shape, words) : this.fit(part, of, [...words, key]);
      return [key, isName ? fitting : undefined];
    });
    const found = frozen(fit);
    if (shape === RULE_SHAPE) this.rules.push({ words, rule: found });
    for (const word of required.filter((one) => !entries.some(([key]) => key === one))) {
      const got = entries.length === 0 ? "an empty map" : "a map without it";
      this.#mistakes.expected(words, `the word ${show(word)}`, got);
    }
    const isWhole = entries.length >= minProperties && required.every((word) => Object.hasOwn(found, word));
    return isWhole ? found : undefined;
  }

  /** The shape of a value of an object. */
  #partOf({ properties = {}, patternProperties = {}, additionalProperties }: Shape, key: string): Shape | undefined {
    if (Object.hasOwn(properties, key)) return properties[key];
    const other = Object.keys(patternProperties).find((pattern) => this.#compiled(pattern).test(key));
    if (other !== undefined) return patternProperties[other];
    return additionalProperties === false ? undefined : additionalProperties;
  }

  #refuseWord(key: string, { properties = {}, others = [], hints = {} }: Shape, words: Words): undefined {
    const own = Object.keys(properties);
    const known = [...own, ...others];
    const most = 12;
    const listed = known.length > most ? `${known.slice(0, most).join(", ")} …` : known.join(", ");
    const hint = Object.hasOwn(hints, key) ? `; write ${hints[key]}` : hintOf(key, own);
    const got = `${show(key)}${hint}`;
    this.#mistakes.expected([...words, key], `one of the words ${listed}`, got, "key");
    return;
  }

  #isText(text: string, { pattern, maxLength = 0 }: Shape): boolean {
    // Characters, as JSON Schema counts them. A text has at least half as many as units.
    if (text.length > 2 * maxLength || (text.length > maxLength && Array.from(text).length > maxLength)) return false;
    return pattern === undefined || this.#compiled(pattern).test(text);
  }

  #compiled(pattern: string): RegExp {
    const compiled = this.#patterns.get(pattern) ?? new RegExp(pattern, "u");
    this.#patterns.set(pattern, compiled);
    return compiled;
  }

  #refuse(value: unknown, shape: Shape, words: Words): undefined {
    const isUnquoted = typeof value === "number" || typeof value === "boolean";
    const quoted = isUnquoted && this.#mayBe(String(value), shape) ? `; write it in quotes: "${value}"` : "";
    const hint = typeof value === "string" ? hintOf(value, knownWords(shape)) : quoted;
    this.#mistakes.expected(words, shape.expected, `${shownValue(value)}${hint}`);
    return;
  }

  #mayBe(text: string, { anyOf, ...shape }: Shape): boolean {
    if (anyOf !== undefined) return anyOf.some((alternative) => this.#mayBe(text, alternative));
    return shape.type === "string" && this.#isText(text, shape);
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

function formOf(value: unknown): Form {
  switch (typeof value) {
    case "string":
      return "string";
    case "number":
      return "integer";
    case "boolean":
      return "boolean";
    case "object":
      if (value === null) return "null";
      return Array.isArray(value) ? "array" : "object";
    default:
      return "null";
  }
}

function formsOf({ enum: words, type }: Shape): readonly (Form | undefined)[] {
  return words?.map(formOf) ?? [type];
}

function knownWords(shape: Shape): readonly string[] {
  return shape.anyOf?.flatMap(knownWords) ?? shape.enum?.map(String) ?? [];
}

function shownValue(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && value !== null) return "a map";
  return value === null || value === undefined ? "nothing" : show(value);
}
