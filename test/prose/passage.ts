/** A line of prose with its number in the file. */
export interface ProseLine {
  readonly line: number;
  readonly text: string;
}

/**
 * Prose that belongs together: a paragraph, an item of a list, a comment or a string.
 * `table` and `string` passages are exempt from the rules about length: tables cannot wrap, strings are data.
 */
export interface Passage {
  readonly kind: "paragraph" | "table" | "comment" | "string";
  readonly lines: readonly ProseLine[];
}

/** Blanks out code spans of one or two backticks. Columns stay as they are. */
export function withoutCodeSpans(text: string): string {
  if (!text.includes("`")) return text;
  return text.replaceAll(/(`{1,2})(?!`)[^`]+\1/gu, (span) => `\`${"x".repeat(span.length - 2)}\``);
}

const ITEM = /^\s*(?:[-*]|\d+\.)\s/u;
const FENCE = /^\s*(?:```|~~~)/u;
const BREAK = /^\s*(?:#{1,6} |---|@\w+)/u;

/** Splits prose into passages, and leaves fenced code out. */
export function passagesOf(kind: "paragraph" | "comment", lines: readonly ProseLine[]): Passage[] {
  const passages: Passage[] = [];
  let open: ProseLine[] = [];
  let fenced = false;
  const close = () => {
    if (open.length > 0) passages.push({ kind, lines: open });
    open = [];
  };
  for (const line of lines) {
    const { text } = line;
    if (FENCE.test(text)) {
      fenced = !fenced;
      close();
    } else if (fenced) continue;
    else if (/^\s*\|/u.test(text)) {
      close();
      passages.push({ kind: "table", lines: [line] });
    } else if (text.trim() === "") close();
    else {
      if (ITEM.test(text) || BREAK.test(text)) close();
      open.push(line);
      if (/^\s*#{1,6} /u.test(text)) close();
    }
  }
  close();
  return passages;
}

/** The passages of a Markdown file. */
export function markdownPassages(source: string): Passage[] {
  return passagesOf(
    "paragraph",
    source.split("\n").map((text, index) => ({ line: index + 1, text })),
  );
}
