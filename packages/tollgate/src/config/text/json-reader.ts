import { MOST_LEVELS, type Source, tooDeep } from "./source.ts";

/** Texts with what follows a key, and brackets. */
const TOKENS = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"(\s*:)?|[[\]{}]/g;

/** Reads JSON. `JSON.parse` tells no positions: `readYaml` finds them in a text that has mistakes. */
export function readJson(text: string): Source {
  let level = 0;
  let keys = 0;
  for (const { 0: token, 1: colon, index } of text.matchAll(TOKENS)) {
    if (colon !== undefined) keys += 1;
    else if (token === "{" || token === "[") level += 1;
    else if (token === "}" || token === "]") level -= 1;
    if (level > MOST_LEVELS) return { value: undefined, mistakes: [{ at: index, message: tooDeep(MOST_LEVELS) }] };
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { value, mistakes: [mistakeOf((error as Error).message, text)] };
  }
  // `JSON.parse` takes the last one of equal keys.
  const isTwice = keys !== keysIn(value);
  return { value, mistakes: isTwice ? [{ at: 0, message: "expected every word once, got one again" }] : [] };
}

/** V8 quotes the text after a comma. */
const QUOTED = /, (?:\.{3})?".*$/s;

/** Engines differ in what they say, and in whether they say where. Keys of a file must not get into logs. */
function mistakeOf(message: string, text: string): { readonly at: number; readonly message: string } {
  const position = /\bposition (\d+)/.exec(message)?.[1];
  const at = /\bend of JSON input/.test(message) ? text.length : Number(position ?? 0);
  return { at: Math.min(at, text.length), message: `expected JSON: ${message.replace(QUOTED, "")}` };
}

function keysIn(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const parts: readonly unknown[] = Object.values(value);
  return parts.reduce<number>((sum, part) => sum + keysIn(part), Array.isArray(value) ? 0 : parts.length);
}
