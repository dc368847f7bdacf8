import { extname } from "node:path";
import { BANNED_WORDS } from "./banned-words.ts";
import { codePassages } from "./code-passages.ts";
import type { Language } from "./code-pieces.ts";
import { markdownPassages, type Passage, withoutCodeSpans } from "./passage.ts";

export interface Finding {
  readonly file: string;
  readonly line: number;
  readonly rule: "word" | "sentence" | "width";
  readonly message: string;
}

export const MAX_COLUMNS = 120;
export const MAX_WORDS = 40;

const LANGUAGES: Readonly<Record<string, Language>> = {
  ".ts": "typescript",
  ".js": "typescript",
  ".mjs": "typescript",
  ".lua": "lua",
  ".sh": "shell",
  "": "shell",
};

/** The places of a file where its prose breaks a rule, in the order of its lines. Files without prose have none. */
export function findingsIn(file: string, source: string): Finding[] {
  const extension = extname(file);
  const language = LANGUAGES[extension];
  const passages =
    extension === ".md" ? markdownPassages(source) : language === undefined ? [] : codePassages(source, language);
  const rows = source.split("\n");
  return passages
    .flatMap((passage) => [...words(passage), ...sentences(passage), ...widths(passage, rows)])
    .map((finding) => ({ file, ...finding }))
    .sort((a, b) => a.line - b.line);
}

type Place = Omit<Finding, "file">;

/** A passage as one text, with the line of each offset. */
function joined({ lines }: Passage): { readonly text: string; readonly lineAt: (offset: number) => number } {
  const texts = lines.map(({ text }) => text.trim());
  return {
    text: withoutCodeSpans(texts.join(" ")),
    lineAt: (offset) => {
      let end = 0;
      const index = texts.findIndex((text) => {
        end += text.length + 1;
        return offset < end;
      });
      return (lines[index] ?? lines.at(-1))?.line ?? 0;
    },
  };
}

/** A first look, without the flag `u`, which takes twice as long: most passages have none of these words. */
const ANY_BANNED = new RegExp(BANNED_WORDS.map(({ pattern }) => pattern.source).join("|"), "i");

function words(passage: Passage): Place[] {
  const { text, lineAt } = joined(passage);
  if (!ANY_BANNED.test(text)) return [];
  const rules = BANNED_WORDS.filter(({ where }) => where === undefined || where === passage.kind);
  return rules.flatMap(({ pattern, reason }) =>
    [...text.matchAll(pattern)].map((match) => ({
      line: lineAt(match.index),
      rule: "word" as const,
      message: `"${match[0].trim()}": ${reason}`,
    })),
  );
}

const SENTENCE_END = /(?<=[.!?][)"*]*) +(?=["'(*[`]*[A-Z0-9`])/gu;

function sentences(passage: Passage): Place[] {
  if (passage.kind === "table" || passage.kind === "string") return [];
  const { text, lineAt } = joined(passage);
  const places: Place[] = [];
  let at = 0;
  for (const sentence of text.split(SENTENCE_END)) {
    at = text.indexOf(sentence, at);
    const count = wordCount(sentence);
    if (count > MAX_WORDS) {
      const message = `a sentence of ${count} words, at most ${MAX_WORDS}: ${sentence.slice(0, 50)}…`;
      places.push({ line: lineAt(at), rule: "sentence", message });
    }
    at += sentence.length;
  }
  return places;
}

function wordCount(sentence: string): number {
  const plain = sentence.replaceAll(/\]\([^)]*\)/gu, "]");
  return plain.split(/\s+/u).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}

function widths(passage: Passage, rows: readonly string[]): Place[] {
  if (passage.kind === "table" || passage.kind === "string") return [];
  return passage.lines
    .filter(({ line }) => tooWide(rows[line - 1] ?? ""))
    .map(({ line }) => ({
      line,
      rule: "width" as const,
      message: `${rows[line - 1]?.length} columns, at most ${MAX_COLUMNS}`,
    }));
}

/** A line may be longer where an address or a link crosses the last column: it cannot wrap. */
function tooWide(row: string): boolean {
  if (row.length <= MAX_COLUMNS) return false;
  const from = row.lastIndexOf(" ", MAX_COLUMNS) + 1;
  const crossing = row.slice(from).split(" ", 1)[0] ?? "";
  return !/:\/\/|\]\(/u.test(crossing) || row.length > from + crossing.length;
}
