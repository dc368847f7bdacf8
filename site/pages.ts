import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";

export const REPOSITORY: string = fileURLToPath(new URL("..", import.meta.url));

const FOLDERS = ["docs", "examples", "packages/server", "packages/tollgate"];

/** The Markdown files of the repository that are pages of the site: the documents, and what they lead to. */
export function repositoryPages(): string[] {
  const below = (folder: string) =>
    readdirSync(join(REPOSITORY, folder), { recursive: folder === "docs", encoding: "utf8" }).map(
      (name) => `${folder}/${name}`,
    );
  const examples = below("examples").map((folder) => `${folder}/README.md`);
  const files = [...readdirSync(REPOSITORY), ...FOLDERS.flatMap(below), ...examples];
  return files.filter((file) => file.endsWith(".md") && existsSync(join(REPOSITORY, file))).sort();
}

/** The path of a page in the site, by its path in the repository: documents are at the top, READMEs are indexes. */
export function sitePath(file: string): string {
  // Names that differ only by case, such as SECURITY.md and docs/security.md, would be one page.
  if (!file.includes("/")) return `project/${file.toLowerCase()}`;
  if (file === "docs/README.md") return "all-pages.md";
  return file.replace(/^docs\//, "").replace(/README\.md$/, "index.md");
}

/** Whether a file is shown as it is. Others are shown as text. */
export function isPicture(file: string): boolean {
  return /\.(?:svg|png)$/.test(file);
}

/** A page as the site has it, and the other files of the repository that it leads to. */
export interface SitePage {
  readonly text: string;
  readonly linked: readonly string[];
}

const FENCE = /^\s*(?:```|~~~)/;
const LINK = /(\]\()([^)\s]+)(\))/g;
/** A picture that is one file for light pages and one for dark ones. The pages of the site have no HTML. */
const PICTURE = /<picture>.*?srcset="([^"]+)".*?src="([^"]+)".*?alt="([^"]+)".*?<\/picture>/gs;

/**
 * A Markdown file with links to where the site has their targets. Files that are no pages become pages with their text,
 * and pictures files beside the pages. A `<picture>` becomes two, of which a page shows one.
 *
 * @throws Error when a link leads to a file that does not exist.
 */
export function sitePage(file: string, pages: ReadonlySet<string>): SitePage {
  const linked: string[] = [];
  const translate = (target: string): string => {
    if (/^(?:[a-z]+:|#|\/)/.test(target)) return target;
    const [path = "", heading] = target.split("#");
    const found = normalize(join(dirname(file), path));
    const hash = heading === undefined ? "" : `#${heading}`;
    if (pages.has(found)) return `/${sitePath(found)}${hash}`;
    if (!existsSync(join(REPOSITORY, found))) throw new Error(`${file}: the link ${target} leads to no file`);
    linked.push(found);
    return isPicture(found) ? `/files/${found}` : `/files/${found}.md${hash}`;
  };
  let isCode = false;
  const lines = readFileSync(join(REPOSITORY, file), "utf8")
    .replaceAll(PICTURE, "![$3]($2){.when-light}\n![$3]($1){.when-dark}")
    .split("\n")
    .map((line) => {
      if (FENCE.test(line)) isCode = !isCode;
      if (isCode) return line;
      return line.replace(LINK, (_, before: string, target: string, after: string) => {
        return before + translate(target) + after;
      });
    });
  return { text: lines.join("\n"), linked };
}

/** The first heading of a Markdown file. */
export function titleOf(file: string): string {
  const [, title] = /^# (.*)$/m.exec(readFileSync(join(REPOSITORY, file), "utf8")) ?? [];
  if (title === undefined) throw new Error(`${file} has no title`);
  return title.replaceAll("`", "");
}
