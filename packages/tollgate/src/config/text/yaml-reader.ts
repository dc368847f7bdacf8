import {
  type Entry,
  MOST_LEVELS,
  MOST_VALUES,
  type ReadText,
  type SourceNode,
  type TextMistake,
} from "./source-node.ts";
import { deepLevelIn } from "./yaml-levels.ts";

/** What is used of the package `yaml`: pass the package itself, `import * as yaml from "yaml"`. */
export interface YamlModule {
  readonly Lexer: new () => { lex(text: string): Iterable<string> };
  parseDocument(text: string, options: Record<string, unknown>): YamlDocument;
  isMap(node: unknown): boolean;
  isSeq(node: unknown): boolean;
  isScalar(node: unknown): boolean;
  isAlias(node: unknown): boolean;
}

interface YamlDocument {
  readonly contents: unknown;
  readonly errors: readonly YamlFault[];
  readonly warnings: readonly YamlFault[];
}

interface YamlFault {
  readonly message: string;
  readonly pos: readonly [number, number];
}

interface YamlNode {
  readonly range?: readonly number[] | null;
  readonly anchor?: string;
  readonly source?: unknown;
  readonly value?: unknown;
  readonly items?: readonly unknown[];
}

interface YamlPair {
  readonly key: unknown;
  readonly value: unknown;
}

/**
 * The package's own search for duplicate keys takes quadratic time. Merge keys and timestamps are not in the core
 * schema of YAML 1.2.
 */
const OPTIONS = {
  version: "1.2",
  schema: "core",
  uniqueKeys: false,
  prettyErrors: false,
  logLevel: "error",
  stringKeys: false,
} as const;

const MOST_FAULTS = 20;
const TOO_DEEP = `expected at most ${MOST_LEVELS} levels, got more`;

/**
 * Finds where a YAML text is nested too deep, as an index; `undefined` if it is not. Ask this before the package `yaml`
 * parses a text of others: its parser is recursive, and a deep text can end the process.
 *
 * @example
 * ```ts
 * import { deepYamlLevel } from "tollgate/config";
 * import * as yaml from "yaml";
 *
 * console.log(deepYamlLevel("a: [1, [2]]", yaml)); // undefined
 * console.log(deepYamlLevel("[".repeat(100_000), yaml)); // 64
 * ```
 */
export function deepYamlLevel(text: string, yaml: Pick<YamlModule, "Lexer">): number | undefined {
  return deepLevelIn(new yaml.Lexer().lex(text));
}

/** Reads YAML with the package that the caller passes, and remembers where each value is. */
export function readYaml(text: string, yaml: YamlModule): ReadText {
  const deepAt = deepYamlLevel(text, yaml);
  if (deepAt !== undefined) return { mistakes: [{ at: deepAt, message: TOO_DEEP }] };
  const document = yaml.parseDocument(text, OPTIONS);
  const faults = [...document.errors.slice(0, MOST_FAULTS), ...document.warnings.slice(0, MOST_FAULTS)];
  if (faults.length > 0) return { mistakes: faults.map(mistakeOf) };
  const reader = new YamlReader(yaml);
  const root = reader.read(document.contents, 0, 0);
  return reader.mistakes.length > 0 ? { mistakes: reader.mistakes } : { root };
}

function mistakeOf({ message, pos }: YamlFault): TextMistake {
  const hint = /^Alias |^Unresolved alias/.test(message)
    ? '; write a text that begins with * in quotes, such as "*"'
    : "";
  return { at: pos[0], message: `expected YAML: ${message.split("\n")[0] ?? ""}${hint}` };
}

class YamlReader {
  readonly mistakes: TextMistake[] = [];
  readonly #yaml: YamlModule;
  /** The last node of each name so far, as YAML has it. `Alias.resolve` searches the whole document each time. */
  readonly #anchors = new Map<string, unknown>();
  #values = 0;

  constructor(yaml: YamlModule) {
    this.#yaml = yaml;
  }

  read(node: unknown, parentAt: number, level: number): SourceNode {
    const { range, anchor, value, items = [] } = (node ?? {}) as YamlNode;
    const at = range?.[0] ?? parentAt;
    if (this.#isTooMuch(at, level)) return { kind: "scalar", at, value: null };
    if (this.#yaml.isAlias(node)) return this.#readAlias(node as YamlNode, at, level);
    // Before the values below it: an alias to a node in itself ends at the bound of levels.
    if (anchor !== undefined) this.#anchors.set(anchor, node);
    if (this.#yaml.isMap(node)) {
      return { kind: "map", at, entries: items.map((pair) => this.#entry(pair as YamlPair, at, level)) };
    }
    if (this.#yaml.isSeq(node)) return { kind: "list", at, items: items.map((item) => this.read(item, at, level + 1)) };
    return { kind: "scalar", at, value: scalarOf(value) };
  }

  #isTooMuch(at: number, level: number): boolean {
    this.#values += 1;
    if (this.mistakes.length > 0) return true;
    if (level > MOST_LEVELS) this.#refuse(at, TOO_DEEP);
    else if (this.#values > MOST_VALUES)
      this.#refuse(at, `expected at most ${MOST_VALUES} values with aliases, got more`);
    return this.mistakes.length > 0;
  }

  #readAlias({ source }: YamlNode, at: number, level: number): SourceNode {
    const target = this.#anchors.get(String(source));
    if (target !== undefined) return this.read(target, at, level + 1);
    this.#refuse(at, `expected an alias of an anchor above it, got *${String(source)}`);
    return { kind: "scalar", at, value: null };
  }

  #entry({ key, value }: YamlPair, parentAt: number, level: number): Entry {
    const keyAt = (key as YamlNode | null)?.range?.[0] ?? parentAt;
    return { key: this.#keyText(key, keyAt), keyAt, value: this.read(value, keyAt, level + 1) };
  }

  /** A key's text as it is written: `007` is no 7. */
  #keyText(key: unknown, at: number): string {
    const node = this.#yaml.isAlias(key) ? this.#anchors.get(String((key as YamlNode).source)) : key;
    if (!this.#yaml.isScalar(node)) {
      this.#refuse(at, "expected a text as the key, got a list, a map or nothing");
      return "";
    }
    const { anchor, source, value } = node as YamlNode;
    if (anchor !== undefined) this.#anchors.set(anchor, node);
    return typeof value === "string" ? value : typeof source === "string" ? source : String(value);
  }

  /** The first one counts: what follows it is not read. */
  #refuse(at: number, message: string): void {
    if (this.mistakes.length === 0) this.mistakes.push({ at, message });
  }
}

function scalarOf(value: unknown): string | number | boolean | null {
  switch (typeof value) {
    case "string":
    case "number":
    case "boolean":
      return value;
    case "bigint":
      return Number(value);
    default:
      return null;
  }
}
