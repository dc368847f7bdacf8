/** What is used of the package `yaml`: pass the package itself, `import * as yaml from "yaml"`. */
export interface YamlModule {
  readonly Lexer: new () => { lex(text: string): Iterable<string> };
  parseDocument(text: string, options: Record<string, unknown>): YamlDocument;
  isMap(node: unknown): boolean;
  isSeq(node: unknown): boolean;
  isAlias(node: unknown): boolean;
}

interface YamlDocument {
  readonly contents: unknown;
  readonly errors: readonly YamlFault[];
  readonly warnings: readonly YamlFault[];
}

export interface YamlFault {
  readonly message: string;
  readonly pos: readonly [number, number];
}

export interface YamlNode {
  readonly range?: readonly number[] | null;
  readonly anchor?: string;
  readonly source?: unknown;
  readonly value?: unknown;
  readonly items?: readonly unknown[];
}

export interface YamlPair {
  readonly key: unknown;
  readonly value: unknown;
}

/** The text of a key. Versions of the package before 2.6 do not know `stringKeys`. */
export function textOf(key: unknown): string {
  const { value, source } = (key ?? {}) as YamlNode;
  if (typeof value === "string") return value;
  return typeof source === "string" ? source : "";
}

/** Where a node begins, if the text has it. */
export function startOf(node: unknown, otherwise: number): number {
  return (node as YamlNode | null | undefined)?.range?.[0] ?? otherwise;
}
