import { deepYamlLevel } from "tollgate/config";
import {
  type Document,
  isMap,
  isNode,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type Node,
  type Pair,
  parseDocument,
} from "yaml";
import type { Mistake } from "../limits/mistake.ts";

/** How many nodes a file may have, aliases followed: more than any file that people write. */
const MOST_NODES = 200_000;
/** How deep lists and mappings may be nested. */
const MOST_LEVELS = 64;

/** A YAML or JSON file, read node by node, which collects its mistakes. */
export class ConfigurationFile {
  readonly #file: string;
  readonly #lines = new LineCounter();
  readonly #document: Document;
  readonly #mistakes: Mistake[] = [];
  #nodes = 0;
  /** How many mappings are being merged into one another. */
  #merging = 0;

  constructor(file: string, text: string) {
    this.#file = file;
    const deepAt = deepYamlLevel(text, { Lexer });
    this.#document = parseDocument(deepAt === undefined ? text : "", { lineCounter: this.#lines, merge: true });
    if (deepAt !== undefined) {
      const before = text.slice(0, deepAt).split("\n");
      const column = (before.at(-1) ?? "").length + 1;
      this.#mistakes.push({
        file,
        line: before.length,
        column,
        message: `expected at most ${MOST_LEVELS} levels, got more`,
      });
    }
    for (const { message, pos } of [...this.#document.errors, ...this.#document.warnings]) {
      this.#add(pos[0], message.split("\n", 1)[0]!.replace(/ at line \d+, column \d+:?$/, ""));
    }
  }

  get mistakes(): readonly Mistake[] {
    return this.#mistakes;
  }

  get root(): Node | undefined {
    return this.#mistakes.length === 0 ? (this.#document.contents ?? undefined) : undefined;
  }

  /** Notes that a node is not what was expected. */
  wrong(node: Node | undefined, expected: string, got: string = this.#textOf(node)): undefined {
    this.#add(node?.range?.[0] ?? 0, `expected ${expected}, got ${got}`);
  }

  /** The values of a mapping by their keys. Notes keys that it does not know. */
  mapping(node: Node | undefined, what: string, known: readonly string[]): ReadonlyMap<string, Field> | undefined {
    const target = this.#resolved(node);
    if (!isMap(target)) return this.wrong(node, `${what}: a mapping`);
    const fields = new Map<string, Field>();
    for (const pair of target.items as Pair<Node, Node | null>[]) {
      const { key, value } = pair;
      const name = isScalar(key) && typeof key.value === "string" ? key.value : undefined;
      if (isScalar(key) && key.source === "<<") this.#merge(fields, value ?? undefined, what, known);
      else if (name !== undefined && known.includes(name)) fields.set(name, { key, value: value ?? undefined });
      else this.wrong(key, `a key of ${what}: ${known.join(", ")}`);
    }
    return fields;
  }

  list(node: Node | undefined, what: string): readonly Node[] {
    const target = this.#resolved(node);
    if (target === undefined || (isScalar(target) && target.value === null)) return [];
    if (isSeq(target)) return target.items.filter(isNode);
    this.wrong(node, `${what}: a list`);
    return [];
  }

  text(node: Node | undefined, what: string): string | undefined {
    const value = this.#scalar(node);
    if (typeof value === "string") return value;
    // `value: 10` is a number to YAML, and a text in this file.
    if (typeof value === "number" || typeof value === "boolean") return this.#source(node) ?? String(value);
    return this.wrong(node, `${what}: a text`);
  }

  flag(node: Node | undefined, what: string): boolean | undefined {
    const value = this.#scalar(node);
    return typeof value === "boolean" ? value : this.wrong(node, `${what}: true or false`);
  }

  wholeNumber(node: Node | undefined, what: string, most: number): number | undefined {
    const value = this.#scalar(node);
    if (Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= most) return value as number;
    return this.wrong(node, `${what}: a whole number from 0 to ${most}`);
  }

  /** A mapping as it is, such as metadata. */
  plain(node: Node | undefined, what: string): Readonly<Record<string, unknown>> | undefined {
    if (node === undefined || !isMap(this.#resolved(node))) return this.wrong(node, `${what}: a mapping`);
    return node.toJS(this.#document, { maxAliasCount: 100 }) as Record<string, unknown>;
  }

  /** Counts the nodes that are visited and how deep they are. Says whether the file is too large or nested too deep. */
  exceeds(level: number, node: Node | undefined): boolean {
    this.#nodes += 1;
    if (level <= MOST_LEVELS && this.#nodes <= MOST_NODES) return false;
    if (level > MOST_LEVELS) this.wrong(node, `at most ${MOST_LEVELS} levels`, "more");
    else if (this.#nodes === MOST_NODES + 1) this.wrong(node, `at most ${MOST_NODES} descriptors`, "more");
    return true;
  }

  #merge(fields: Map<string, Field>, node: Node | undefined, what: string, known: readonly string[]): void {
    // A mapping may merge itself, by way of an alias.
    this.#merging += 1;
    if (!this.exceeds(this.#merging, node)) {
      const sources = isSeq(this.#resolved(node)) ? this.list(node, what) : [node];
      for (const source of sources) {
        for (const [name, field] of this.mapping(source, what, known) ?? []) {
          if (!fields.has(name)) fields.set(name, field);
        }
      }
    }
    this.#merging -= 1;
  }

  #scalar(node: Node | undefined): unknown {
    const target = this.#resolved(node);
    return isScalar(target) ? target.value : undefined;
  }

  #source(node: Node | undefined): string | undefined {
    const target = this.#resolved(node);
    return isScalar(target) ? target.source : undefined;
  }

  #resolved(node: Node | undefined): Node | undefined {
    return node !== undefined && "source" in node && "resolve" in node ? node.resolve(this.#document) : node;
  }

  #textOf(node: Node | undefined): string {
    const target = this.#resolved(node);
    if (target === undefined || target === null) return "nothing";
    if (isMap(target)) return "a mapping";
    if (isSeq(target)) return "a list";
    const text = JSON.stringify(isScalar(target) ? (target.value ?? null) : String(target));
    return text.length > 60 ? `${text.slice(0, 60)}…` : text;
  }

  #add(offset: number, message: string): void {
    const { line, col } = this.#lines.linePos(offset);
    this.#mistakes.push({ file: this.#file, line: Math.max(line, 1), column: Math.max(col, 1), message });
  }
}

/** A value of a mapping, with its key. */
export interface Field {
  readonly key: Node;
  readonly value: Node | undefined;
}
