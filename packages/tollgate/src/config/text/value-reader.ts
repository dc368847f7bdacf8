import { MOST_LEVELS, type ReadText, type SourceNode } from "./source-node.ts";

/** Reads a value of the program, such as what `JSON.parse` returns. It has no positions. */
export function readValue(value: unknown): ReadText {
  const mistakes: { at: number; message: string }[] = [];
  const root = nodeOf(value, 0, (message) => mistakes.push({ at: 0, message }));
  return mistakes.length > 0 ? { mistakes: mistakes.slice(0, 1) } : { root };
}

function nodeOf(value: unknown, level: number, refuse: (message: string) => void): SourceNode {
  if (level > MOST_LEVELS) {
    refuse(`expected at most ${MOST_LEVELS} levels, got more`);
    return { kind: "scalar", at: 0, value: null };
  }
  if (Array.isArray(value)) {
    return { kind: "list", at: 0, items: Array.from(value, (item: unknown) => nodeOf(item, level + 1, refuse)) };
  }
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value)
      .filter(([, item]) => item !== undefined)
      .map(([key, item]) => ({ key, keyAt: 0, value: nodeOf(item, level + 1, refuse) }));
    return { kind: "map", at: 0, entries };
  }
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean" || value === null) {
    return { kind: "scalar", at: 0, value };
  }
  refuse(`expected text, numbers, true, false, lists and objects, got a ${typeof value}`);
  return { kind: "scalar", at: 0, value: null };
}
