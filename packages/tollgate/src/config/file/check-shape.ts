import { show } from "../../core/errors.ts";
import type { Entry, MapNode, ScalarNode, SourceNode } from "../text/source-node.ts";
import type { Mistakes } from "./mistakes.ts";
import { type EitherShape, type Form, formOf, type ObjectShape, type Shape, type TextShape } from "./shape.ts";

/** Compares a file with its shape, and collects every mistake. */
export class ShapeCheck {
  readonly #mistakes: Mistakes;
  /** One for each pattern of a shape: compiled once a file. */
  readonly #patterns = new Map<string, RegExp>();
  /** What does not fit: values, and entries whose word is not known. Other checks leave these out. */
  readonly unfit: Set<SourceNode | Entry> = new Set();

  constructor(mistakes: Mistakes) {
    this.#mistakes = mistakes;
  }

  check(node: SourceNode, shape: Shape, path: string): void {
    const fitting = shape.kind === "either" ? alternativeFor(node, shape) : shape;
    if (fitting === undefined || !formOf(fitting).includes(formOfNode(node))) {
      this.#refuse(path, shape, node);
      return;
    }
    switch (fitting.kind) {
      case "list":
      case "map":
      case "object":
        this.#checkParts(node, fitting, path);
        break;
      default:
        this.#checkScalar(node as ScalarNode, shape, fitting, path);
    }
  }

  #checkParts(node: SourceNode, shape: Extract<Shape, { kind: "list" | "map" | "object" }>, path: string): void {
    if (node.kind === "list" && shape.kind === "list") {
      const { length } = node.items;
      if (length === 0 || length > shape.most) {
        this.unfit.add(node);
        this.#mistakes.expected({ at: node.at, path }, `${shape.expected}, 1 to ${shape.most}`, String(length));
      }
      for (const [i, item] of node.items.slice(0, shape.most).entries()) this.check(item, shape.of, `${path}[${i}]`);
      return;
    }
    if (node.kind !== "map") return;
    this.#checkKeys(node, path);
    if (shape.kind === "object") this.#checkWords(node, shape, path);
    if (shape.kind !== "map") return;
    if (node.entries.length === 0) {
      this.unfit.add(node);
      this.#mistakes.expected({ at: node.at, path }, shape.expected, "an empty map");
    }
    for (const entry of node.entries) {
      const { key, keyAt, value } = entry;
      if (!this.#fits(key, shape.key)) {
        this.unfit.add(entry);
        this.#mistakes.expected({ at: keyAt, path }, shape.key.expected, show(key));
      }
      this.check(value, shape.of, below(path, key));
    }
  }

  #checkKeys({ entries }: MapNode, path: string): void {
    const keys = new Set<string>();
    for (const { key, keyAt } of entries) {
      if (keys.has(key)) this.#mistakes.expected({ at: keyAt, path }, "every word once", `${show(key)} again`);
      keys.add(key);
    }
  }

  #checkWords(node: MapNode, shape: ObjectShape, path: string): void {
    for (const entry of node.entries) {
      const word = Object.hasOwn(shape.words, entry.key) ? shape.words[entry.key] : undefined;
      const of = word?.of ?? shape.others?.find(({ key }) => this.#fits(entry.key, key))?.of;
      if (of === undefined) this.#refuseWord(entry, shape, path);
      else this.check(entry.value, of, below(path, entry.key));
    }
    for (const word of shape.required) {
      const entry = node.entries.find(({ key }) => key === word);
      if (entry !== undefined) {
        if (this.unfit.has(entry.value)) this.unfit.add(node);
        continue;
      }
      this.unfit.add(node);
      const got = node.entries.length === 0 ? "an empty map" : "a map without it";
      this.#mistakes.expected({ at: node.at, path }, `the word ${show(word)}`, got);
    }
  }

  #refuseWord(entry: Entry, shape: ObjectShape, path: string): void {
    const { key, keyAt } = entry;
    this.unfit.add(entry);
    const words = Object.keys(shape.words);
    const known = [...words, ...(shape.others ?? []).map(({ key: other }) => other.expected)];
    const most = 12;
    const listed = known.length > most ? `${known.slice(0, most).join(", ")} …` : known.join(", ");
    this.#mistakes.expected({ at: keyAt, path }, `one of the words ${listed}`, show(key), key, words);
  }

  #checkScalar(node: ScalarNode, whole: Shape, shape: Shape, path: string): void {
    const { value } = node;
    if (shape.kind === "words" && !shape.words.includes(value as string | number)) this.#refuse(path, whole, node);
    if (shape.kind === "text" && !this.#fits(String(value), shape)) this.#refuse(path, shape, node);
    if (shape.kind !== "number") return;
    const isWhole = typeof value === "number" && Number.isSafeInteger(value);
    if (!isWhole || value < shape.least || value > shape.most) this.#refuse(path, shape, node);
  }

  #fits(text: string, { pattern, longest }: TextShape): boolean {
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

  #refuse(path: string, shape: Shape, node: SourceNode): void {
    this.unfit.add(node);
    const got = node.kind === "scalar" ? node.value : undefined;
    const isUnquoted = (typeof got === "number" || typeof got === "boolean") && this.#isText(String(got), shape);
    const hint = isUnquoted ? `; write it in quotes: "${got}"` : "";
    const misspelt = typeof got === "string" ? got : undefined;
    const place = { at: node.at, path };
    this.#mistakes.expected(place, expectedBy(shape), `${shownNode(node)}${hint}`, misspelt, wordsOf(shape));
  }

  #isText(text: string, shape: Shape): boolean {
    if (shape.kind === "either") return shape.of.some((alternative) => this.#isText(text, alternative));
    return shape.kind === "text" && this.#fits(text, shape);
  }
}

function below(path: string, key: string): string {
  const short = key.length > 60 ? `${key.slice(0, 60)}…` : key;
  return path === "" ? short : `${path}.${short}`;
}

function formOfNode(node: SourceNode): Form {
  if (node.kind !== "scalar") return node.kind;
  switch (typeof node.value) {
    case "string":
      return "text";
    case "number":
      return "number";
    case "boolean":
      return "flag";
    default:
      return "nothing";
  }
}

/** The alternative of the value's form. */
function alternativeFor(node: SourceNode, { of }: EitherShape): Exclude<Shape, EitherShape> | undefined {
  const form = formOfNode(node);
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

function wordsOf(shape: Shape): readonly string[] {
  if (shape.kind === "words") return shape.words.map(String);
  return shape.kind === "either" ? shape.of.flatMap(wordsOf) : [];
}

function shownNode(node: SourceNode): string {
  switch (node.kind) {
    case "list":
      return "a list";
    case "map":
      return "a map";
    case "scalar":
      return node.value === null ? "nothing" : show(node.value);
    default:
      return node satisfies never;
  }
}
