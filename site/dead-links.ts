import { readdirSync, readFileSync } from "node:fs";
import { extname, join, posix } from "node:path";

/** What a page leads to or loads. */
const TARGET = /<(?:a|img|script|link)\s[^>]*?(?:href|src)="([^"]+)"/g;

/**
 * The links of a built site that lead to no page, heading or file of it, as `page target`. A hash with "=" is a state
 * of the playground, and no heading.
 */
export function deadLinks(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const known = new Set(files.filter((file) => extname(file) !== ""));
  const pages = new Map<string, { readonly html: string; readonly ids: ReadonlySet<string | undefined> }>();
  for (const file of files) {
    if (extname(file) !== ".html") continue;
    const html = readFileSync(join(folder, file), "utf8");
    pages.set(file, { html, ids: new Set([...html.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id)) });
  }
  const leads = (page: string, target: string): boolean => {
    const [path = "", heading = ""] = target.split("#");
    const absolute = path === "" ? page : posix.resolve(posix.dirname(`/${page}`), path).slice(1);
    const file = [absolute, `${absolute}.html`, posix.join(absolute, "index.html")].find((name) => known.has(name));
    if (file === undefined) return false;
    if (heading === "" || heading.includes("=")) return true;
    return pages.get(file)?.ids.has(decodeURIComponent(heading)) === true;
  };
  return [...pages].flatMap(([page, { html }]) =>
    [...html.matchAll(TARGET)]
      .map(([, target = ""]) => target)
      .filter((target) => !(/^[a-z]+:/.test(target) || leads(page, target)))
      .map((target) => `${page} ${target}`),
  );
}
