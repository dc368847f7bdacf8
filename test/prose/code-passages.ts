import { type Language, type Piece, piecesOf } from "./code-pieces.ts";
import { type Passage, type ProseLine, passagesOf } from "./passage.ts";

/** A comment may end in one of these: they bind to one line and cannot wrap. */
const DIRECTIVE = /^\s*(?:biome-ignore|oxlint-disable|@ts-expect-error|v8 ignore)/u;

/** The passages of a source file: its comments and its strings. */
export function codePassages(source: string, language: Language): Passage[] {
  const pieces = piecesOf(source, language);
  const lineAt = lineFinder(source);
  const passages: Passage[] = [];
  for (let i = 0; i < pieces.length; i += 1) {
    const piece = pieces[i]!;
    if (piece.kind === "string") passages.push(...stringPassages(piece, lineAt(piece.at)));
    else if (piece.kind === "block-comment") {
      passages.push(...passagesOf("comment", blockLines(piece, lineAt(piece.at))));
    } else {
      const lines = [commentLine(piece, lineAt(piece.at))];
      while (follows(source, pieces[i], pieces[i + 1])) {
        i += 1;
        lines.push(commentLine(pieces[i]!, lineAt(pieces[i]!.at)));
      }
      passages.push(
        ...passagesOf(
          "comment",
          lines.filter(({ text }) => !DIRECTIVE.test(text)),
        ),
      );
    }
  }
  return passages;
}

/** Whether two line comments are one: on adjacent lines, with only space between them, in the same column. */
function follows(source: string, first: Piece | undefined, second: Piece | undefined): boolean {
  if (first?.kind !== "line-comment" || second?.kind !== "line-comment") return false;
  const between = source.slice(first.at + first.text.length, second.at);
  return /^\n[ \t]*$/u.test(between) && column(source, first.at) === column(source, second.at);
}

function column(source: string, at: number): number {
  return at - source.lastIndexOf("\n", at - 1);
}

function commentLine({ text }: Piece, line: number): ProseLine {
  return { line, text: text.replace(/^(?:\/\/[/!]?|#|--)/u, "") };
}

function blockLines({ text }: Piece, line: number): ProseLine[] {
  return text
    .replace(/^\/\*+/u, "")
    .replace(/\*+\/$/u, "")
    .split("\n")
    .map((one, index) => ({ line: line + index, text: one.replace(/^\s*\* ?/u, "") }));
}

function stringPassages({ text }: Piece, line: number): Passage[] {
  const lines = text.split("\n").map((one, index) => ({ line: line + index, text: one }));
  return [{ kind: "string", lines }];
}

function lineFinder(source: string): (at: number) => number {
  let seen = 0;
  let line = 1;
  return (at) => {
    for (; seen < at; seen += 1) if (source.charCodeAt(seen) === 10) line += 1;
    return line;
  };
}
