import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vitepress";
import { writeReference } from "./api.ts";
import { deadLinks } from "./dead-links.ts";
import { FRAMEWORKS, type Framework } from "./frameworks.ts";
import { isPicture, REPOSITORY, repositoryPages, sitePage, sitePath } from "./pages.ts";

// Writes the pages to `.generated/pages`, as vitepress reads them, and builds the site from these to `dist`.
const SITE = fileURLToPath(new URL(".", import.meta.url));
const PAGES = join(SITE, ".generated/pages");

function write(path: string, text: string): void {
  mkdirSync(dirname(join(PAGES, path)), { recursive: true });
  writeFileSync(join(PAGES, path), text);
}

function startPage({ id, title, packages, page }: Framework): string {
  const program = readFileSync(join(SITE, `start/${id}.ts`), "utf8");
  return `# Start with ${title}

\`\`\`sh
npm install ${`tollgate ${packages}`.trim()}
\`\`\`

\`\`\`ts
${program}\`\`\`

${id === "fetch" ? "Serve it by Bun, Deno or Workers, and ask" : "Run it, and ask"} eleven times. The last answer is a 429:

\`\`\`sh
for i in $(seq 11); do curl -s -o /dev/null -w "%{http_code}\\n" -H "X-API-Key: ann" localhost:3000; done
\`\`\`

Next: [${title} in full](/${page}), [which limit](/choose), [tell clients apart](/identity).
`;
}

function writePages(): void {
  rmSync(PAGES, { recursive: true, force: true });
  const files = repositoryPages();
  const known = new Set(files);
  const linked = new Set<string>();
  for (const file of files) {
    const page = sitePage(file, known);
    write(sitePath(file), page.text);
    for (const other of page.linked) linked.add(other);
  }
  for (const file of linked) {
    if (isPicture(file)) {
      cpSync(join(REPOSITORY, file), join(PAGES, "public/files", file));
    } else {
      const text = readFileSync(join(REPOSITORY, file), "utf8");
      const title = `---\nsearch: false\n---\n\n# ${file}\n\n`;
      write(`files/${file}.md`, `${title}\`\`\`\`${extname(file).slice(1)}\n${text}\n\`\`\`\`\n`);
    }
  }
  for (const framework of FRAMEWORKS) write(`start/${framework.id}.md`, startPage(framework));
  cpSync(join(SITE, "own-pages"), PAGES, { recursive: true });
}

writePages();
await writeReference(join(PAGES, "api"));
await build(SITE);
// The build itself knows no headings.
const dead = deadLinks(join(SITE, "dist"));
if (dead.length > 0) throw new Error(`links of the site that lead to nothing:\n${dead.join("\n")}`);
