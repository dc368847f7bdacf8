import { existsSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { markdownPassages, type ProseLine } from "./passage.ts";

/** The links of Markdown files to other files and headings of the project that do not exist. */
export function brokenLinks(root: string, files: readonly string[]): string[] {
  const pages = new Map(
    files.filter((file) => file.endsWith(".md")).map((file) => [file, proseLines(join(root, file))] as const),
  );
  const anchors = new Map([...pages].map(([file, lines]) => [file, anchorsOf(lines)] as const));
  const leads = (file: string, target: string) => {
    const [path = "", heading] = target.split("#");
    const page = path === "" ? file : normalize(join(dirname(file), path));
    return existsSync(join(root, page)) && (heading === undefined || anchors.get(page)?.has(heading) === true);
  };
  return [...pages].flatMap(([file, lines]) =>
    lines.flatMap(({ line, text }) =>
      [...text.matchAll(/\]\(([^)\s]+)\)/gu)]
        .map(([, target = ""]) => target)
        .filter((target) => !(target.includes("://") || leads(file, target)))
        .map((target) => `${file}:${line} ${target}`),
    ),
  );
}

function proseLines(path: string): ProseLine[] {
  return markdownPassages(readFileSync(path, "utf8")).flatMap(({ lines }) => lines);
}

/** The anchors that GitHub gives the headings of a page. */
function anchorsOf(lines: readonly ProseLine[]): Set<string> {
  const headings = lines.flatMap(({ text }) => /^#{1,6} (.*)$/u.exec(text)?.[1] ?? []);
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\-_ ]/gu, "")
        .replaceAll(" ", "-"),
    ),
  );
}
