import { show } from "../../core/errors.ts";
import { MOST_LEVELS, type Source, type TextMistake, tooDeep } from "./source.ts";
import { deepLevelIn } from "./yaml-levels.ts";
import { startOf, textOf, type YamlFault, type YamlModule, type YamlNode, type YamlPair } from "./yaml-nodes.ts";
import { offsetsIn } from "./yaml-offsets.ts";

/**
 * The package's own search for duplicate keys takes quadratic time. Keys are texts as they are written: `007` is no 7.
 * Merge keys and timestamps are not in the core schema of YAML 1.2.
 */
const OPTIONS = {
  version: "1.2",
  schema: "core",
  uniqueKeys: false,
  prettyErrors: false,
  logLevel: "error",
  stringKeys: true,
} as const;

const MERGE = "<<";
const MOST_FAULTS = 20;
/** Aliases may repeat parts of a file. So many values are read in all. */
const MOST_VALUES = 1_000_000;

/** How YAML is read that other programs define. */
export interface ForeignYaml {
  /** Deeper values are refused. */
  readonly mostLevels: number;
  /** Scalars below these words have the types of YAML. All others are texts, as they are written. */
  readonly typed: readonly string[];
}

/**
 * Reads YAML with the package that the caller passes. JSON is YAML, too. Only YAML of other programs may have merge
 * keys.
 */
export function readYaml(text: string, yaml: YamlModule, foreign?: ForeignYaml): Source {
  const deepAt = deepLevelIn(new yaml.Lexer().lex(text));
  const mostLevels = foreign?.mostLevels ?? MOST_LEVELS;
  if (deepAt !== undefined) return { value: undefined, mistakes: [{ at: deepAt, message: tooDeep(mostLevels) }] };
  const { contents, errors, warnings } = yaml.parseDocument(text, OPTIONS);
  const faults = [...errors.slice(0, MOST_FAULTS), ...warnings.slice(0, MOST_FAULTS)];
  if (faults.length > 0) return { value: undefined, mistakes: faults.map(mistakeOf) };
  const reader = new YamlReader(yaml, mostLevels, foreign?.typed);
  const read = reader.read(contents, 0, 0);
  const value = reader.isTooMuch ? undefined : read;
  return { value, mistakes: reader.mistakes, offsetOf: offsetsIn(yaml, contents, reader.targets) };
}

function mistakeOf({ message, pos }: YamlFault): TextMistake {
  const at = pos[0];
  if (message.includes("stringKeys"))
    return { at, message: "expected a text as the key, got a list, a map or an alias" };
  const hint = /^Alias |^Unresolved alias/.test(message)
    ? '; write a text that begins with * in quotes, such as "*"'
    : "";
  return { at, message: `expected YAML: ${message.split("\n")[0] ?? ""}${hint}` };
}

class YamlReader {
  readonly mistakes: TextMistake[] = [];
  readonly #yaml: YamlModule;
  readonly #mostLevels: number;
  /** `undefined`: all scalars have types, and there are no merge keys. */
  readonly #typed: readonly string[] | undefined;
  /** The last node of each name so far, as YAML has it. `Alias.resolve` searches the whole document each time. */
  readonly #anchors = new Map<string, unknown>();
  /** What each alias stands for. */
  readonly targets = new Map<unknown, unknown>();
  /** The words that lead to the value that is being read. */
  readonly #words: (string | number)[] = [];
  #values = 0;
  /** What follows is not read. */
  isTooMuch = false;

  constructor(yaml: YamlModule, mostLevels: number, typed: readonly string[] | undefined) {
    this.#yaml = yaml;
    this.#mostLevels = mostLevels;
    this.#typed = typed;
  }

  /** The plain value of a node. Of a key that comes twice it has the last value. */
  read(node: unknown, parentAt: number, level: number): unknown {
    const { range, anchor, value, source, items = [] } = (node ?? {}) as YamlNode;
    const at = range?.[0] ?? parentAt;
    this.#values += 1;
    if (level > this.#mostLevels) this.#stop(at, tooDeep(this.#mostLevels));
    else if (this.#values > MOST_VALUES)
      this.#stop(at, `expected at most ${MOST_VALUES} values with aliases, got more`);
    if (this.isTooMuch) return null;
    if (this.#yaml.isAlias(node)) return this.#readAlias(node as YamlNode, at, level);
    // Before the values below it: an alias to a node in itself ends at the bound of levels.
    if (anchor !== undefined) this.#anchors.set(anchor, node);
    if (this.#yaml.isMap(node)) return this.#readMap(items as readonly YamlPair[], at, level);
    if (this.#yaml.isSeq(node)) return items.map((item, i) => this.#readPart(i, item, at, level));
    const isTyped = this.#typed?.some((word) => this.#words.includes(word)) ?? true;
    return isTyped ? (value ?? null) : value == null ? null : source;
  }

  #readMap(pairs: readonly YamlPair[], mapAt: number, level: number): unknown {
    const keys = new Set<string>();
    const merged: [string, unknown][] = [];
    const entries = pairs.flatMap(({ key, value }): [string, unknown][] => {
      const at = startOf(key, mapAt);
      const text = textOf(key);
      if (keys.has(text)) this.#refuse(at, `expected every word once, got ${show(text)} again`);
      keys.add(text);
      const part = this.#readPart(text, value, at, level);
      if (this.#typed === undefined || text !== MERGE) return [[text, part]];
      // The first one of several maps counts.
      for (const source of [part].flat().toReversed()) merged.push(...Object.entries(Object(source) as object));
      return [];
    });
    return Object.fromEntries([...merged, ...entries]);
  }

  #readPart(word: string | number, node: unknown, at: number, level: number): unknown {
    this.#words.push(word);
    const value = this.read(node, at, level + 1);
    this.#words.pop();
    return value;
  }

  #readAlias(alias: YamlNode, at: number, level: number): unknown {
    const name = String(alias.source);
    const target = this.#anchors.get(name);
    if (target === undefined) {
      this.#refuse(at, `expected an alias of an anchor above it, got *${name}`);
      return null;
    }
    this.targets.set(alias, target);
    return this.read(target, at, level + 1);
  }

  #refuse(at: number, message: string): void {
    if (this.mistakes.length < MOST_FAULTS) this.mistakes.push({ at, words: [...this.#words], message });
  }

  #stop(at: number, message: string): void {
    if (!this.isTooMuch) this.mistakes.push({ at, message });
    this.isTooMuch = true;
  }
}
