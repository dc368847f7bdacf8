import { existsSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { markdownPassages, type ProseLine } from "./passage.ts";

/** The links of Markdown files to other files and headings of the project that do not exist. */
export function brokenLinks(root: string, files: readonly string[]): string[] {
  const pages = pagesOf(root, files);
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

/** The source files that Markdown files name, by a whole path or its end, and that do not exist. `NAME` may be any. */
export function missingFiles(root: string, files: readonly string[]): string[] {
  const exists = (path: string) => files.some((file) => file === path || file.endsWith(`/${path}`));
  return [...pagesOf(root, files)].flatMap(([file, lines]) =>
    lines.flatMap(({ line, text }) =>
      [...text.matchAll(/`(\w[\w./-]*\.(?:ts|js|mjs|rs|sh))`/gu)]
        .map(([, path = ""]) => path)
        .filter((path) => !(path.includes("NAME") || exists(path)))
        .map((path) => `${file}:${line} ${path}`),
    ),
  );
}

function pagesOf(root: string, files: readonly string[]): ReadonlyMap<string, readonly ProseLine[]> {
  const pages = files.filter((file) => file.endsWith(".md"));
  return new Map(
    pages.map((file) => [file, markdownPassages(readFileSync(join(root, file), "utf8")).flatMap(({ lines }) => lines)]),
  );
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
