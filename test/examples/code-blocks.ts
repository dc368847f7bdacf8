import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const REPOSITORY: string = fileURLToPath(new URL("../..", import.meta.url));

/** A fenced block of a page or of a docstring. */
export interface CodeBlock {
  readonly language: string;
  readonly code: string;
  /** The file and the line at which it begins. */
  readonly place: string;
}

/** The blocks of a Markdown page, or of the docstrings of a source file. */
export function blocksOf(file: string): CodeBlock[] {
  const blocks: CodeBlock[] = [];
  let open: { language: string; lines: string[]; line: number } | undefined;
  readFileSync(join(REPOSITORY, file), "utf8")
    .split("\n")
    .forEach((raw, index) => {
      const line = file.endsWith(".ts") ? raw.replace(/^ *\* ?/, "") : raw;
      const fence = /^```(\w*)$/.exec(line);
      if (fence === null) open?.lines.push(line);
      else if (open === undefined) open = { language: fence[1] ?? "", lines: [], line: index + 1 };
      else {
        blocks.push({ language: open.language, code: `${open.lines.join("\n")}\n`, place: `${file}:${open.line}` });
        open = undefined;
      }
    });
  if (open !== undefined) throw new Error(`${file}:${open.line}: the block has no end`);
  return blocks;
}

/** Every page for users and every source file of the library, by their paths in the repository. */
export function pagesAndSources(): string[] {
  const pages = ["README.md", ...filesBelow("docs", ".md"), "packages/tollgate/README.md", "packages/server/README.md"];
  return [...pages, ...filesBelow("packages/tollgate/src", ".ts")];
}

function filesBelow(folder: string, ending: string): string[] {
  return readdirSync(join(REPOSITORY, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(ending))
    .map((file) => join(folder, file))
    .sort();
}

/** What an example says that it prints: the comment behind each `console.log`. */
export function promisedOutput(code: string): string[] {
  return code
    .split("\n")
    .filter((line) => line.includes("console.log("))
    .map((line) => /; \/\/ (.*)$/.exec(line)?.[1] ?? `${line.trim()} (no comment says what it prints)`);
}
