import type { Entry, SourceNode } from "../text/source-node.ts";

/** The plain value of a node, frozen. A key named `__proto__` is a property as any other. */
export function plainValue(node: SourceNode): unknown {
  switch (node.kind) {
    case "scalar":
      return node.value;
    case "list":
      return Object.freeze(node.items.map(plainValue));
    case "map":
      return Object.freeze(Object.fromEntries(node.entries.map(({ key, value }) => [key, plainValue(value)])));
    default:
      return node satisfies never;
  }
}

/** The parts of a node that fit. `undefined` if it does not fit itself. */
export function fittingPart(node: SourceNode, unfit: ReadonlySet<SourceNode | Entry>): SourceNode | undefined {
  if (unfit.has(node)) return undefined;
  switch (node.kind) {
    case "scalar":
      return node;
    case "list": {
      const items = node.items.flatMap((item) => fittingPart(item, unfit) ?? []);
      return items.length === 0 ? undefined : { ...node, items };
    }
    case "map": {
      const entries = node.entries.flatMap((entry) => {
        const value = unfit.has(entry) ? undefined : fittingPart(entry.value, unfit);
        return value === undefined ? [] : [{ ...entry, value }];
      });
      return { ...node, entries };
    }
    default:
      return node satisfies never;
  }
}

/** The value of a word in a map. */
export function wordOf(node: SourceNode | undefined, word: string): SourceNode | undefined {
  return node?.kind === "map" ? node.entries.find(({ key }) => key === word)?.value : undefined;
}

/** Where the deepest part is that these words lead to. */
export function placeOf(node: SourceNode, words: readonly (string | number)[]): number {
  let at: SourceNode = node;
  for (const word of words) {
    const next: SourceNode | undefined = at.kind === "list" ? at.items[Number(word)] : wordOf(at, String(word));
    if (next === undefined) break;
    at = next;
  }
  return at.at;
}

/** Whether two values of files are equal, and their words in the same order: rules decide in the order of the file. */
export function isSameValue(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  const keys = Object.keys(one);
  const otherKeys = Object.keys(other);
  if (keys.length !== otherKeys.length || Array.isArray(one) !== Array.isArray(other)) return false;
  for (let i = 0; i < keys.length; i += 1) {
    const key = keys[i]!;
    if (key !== otherKeys[i]) return false;
    if (!isSameValue(one[key as keyof object], other[key as keyof object])) return false;
  }
  return true;
}
