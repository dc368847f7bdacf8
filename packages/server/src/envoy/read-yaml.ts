import { deepYamlLevel } from "tollgate/config";
import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type Node,
  parseDocument,
  visit,
} from "yaml";
import { excerpt } from "../http/excerpt.ts";
import { type Fail, pathOf, type Reader, type Words } from "../http/readers.ts";
import type { Mistake } from "../limits/mistake.ts";

/** How deep lists and mappings may be nested. */
export const MOST_LEVELS = 64;

/** Reads a YAML or JSON file, and adds what is wrong with it to `mistakes`. What is read is sound if there are none. */
export function readYaml<Value>(
  file: string,
  yaml: string,
  read: Reader<Value>,
  mistakes: Mistake[],
): Value | undefined {
  const lines = new LineCounter();
  const before = mistakes.length;
  const add = (offset: number, message: string): void => {
    const { line, col } = lines.linePos(offset);
    mistakes.push({ file, line: Math.max(line, 1), column: Math.max(col, 1), message });
  };
  const deepAt = deepYamlLevel(yaml, { Lexer });
  // Only the beginning is parsed then, for its lines.
  const document = parseDocument(deepAt === undefined ? yaml : "", { lineCounter: lines, merge: true });
  if (deepAt !== undefined) {
    for (const { index } of yaml.slice(0, deepAt).matchAll(/\n/g)) lines.addNewLine(index + 1);
    add(deepAt, `expected at most ${MOST_LEVELS} levels, got more`);
  }
  for (const { message, pos } of [...document.errors, ...document.warnings])
    add(pos[0], message.split("\n", 1)[0]!.replace(/ at line \d+, column \d+:?$/, ""));
  if (mistakes.length === before) checkNodes(document, add);
  if (mistakes.length > before) return undefined;
  const fail = (words: Words, expected: string, got: unknown, field?: string): undefined => {
    const path = pathOf(words);
    add(offsetOf(document, words, field), `${path === "" ? "" : `${path}: `}expected ${expected}, got ${excerpt(got)}`);
  };
  try {
    return read(document.toJS({ maxAliasCount: MOST_ALIASES }), [], fail as Fail);
  } catch (error) {
    // Such as too many aliases, or a merge with a text.
    if (!(error instanceof Error)) throw error;
    add(0, error.message);
    return undefined;
  }
}

const MOST_ALIASES = 10_000;

/** Has scalars read as they are written: `value: 10` is a number to YAML, and a text in these files. */
function checkNodes(document: Document, add: (offset: number, message: string) => void): void {
  visit(document, {
    Pair: (_, { key }) => (isScalar(key) && key.value === "metadata" ? visit.SKIP : undefined),
    Scalar: (_, scalar) => {
      if (scalar.value !== null && scalar.source !== undefined) scalar.value = scalar.source;
    },
    Alias: (_, alias, around) => {
      const target = alias.resolve(document);
      if (target !== undefined && around.includes(target))
        add(alias.range?.[0] ?? 0, `expected at most ${MOST_LEVELS} levels, got an alias within itself`);
    },
  });
}

/** Where the deepest part begins that the words lead to, or the name of a field in it. */
function offsetOf(document: Document, words: Words, field?: string): number {
  let node: unknown = document.contents;
  let offset = 0;
  for (const word of field === undefined ? words : [...words, field]) {
    if (isAlias(node)) node = node.resolve(document);
    const pair = isMap(node) ? node.items.find(({ key }) => isScalar(key) && key.value === word) : undefined;
    offset = (pair?.key as Node | undefined)?.range?.[0] ?? offset;
    node = isSeq(node) ? node.items[Number(word)] : pair?.value;
    if (node == null || word === field) return offset;
    offset = (node as Node).range?.[0] ?? offset;
  }
  return offset;
}
