import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findingsIn, MAX_COLUMNS, MAX_WORDS } from "./prose/findings.ts";
import { proseFiles } from "./prose/prose-files.ts";
import { brokenLinks, missingFiles } from "./prose/references.ts";
import { REPOSITORY } from "./support/planted-workspace.ts";
import { plant as plantFiles, remove, temporaryFolder } from "./support/temporary-folder.ts";

/** While a change is under way: only files whose paths begin with one of these, with commas between them. */
const ONLY = process.env["PROSE_ONLY"]?.split(",") ?? [""];

const rulesOf = (file: string, source: string) => findingsIn(file, source).map(({ line, rule }) => `${line} ${rule}`);

/** Banned words are written with a dot in them here, so that this file has none. */
const plant = (text: string) => text.replaceAll("·", "");
const manyWords = (count: number) => `A${" word".repeat(count - 1)}.`;
const wide = (columns: number) => `${"wide ".repeat(columns / 5 - 1)}line.`;

describe("the prose of the project", () => {
  const files = proseFiles(REPOSITORY).filter((file) => ONLY.some((path) => file.startsWith(path)));

  it("has no banned word, no long sentence and no wide line", () => {
    expect(files.length).toBeGreaterThan(0);
    const findings = files.flatMap((file) => findingsIn(file, readFileSync(join(REPOSITORY, file), "utf8")));
    expect(findings.map(({ file, line, message }) => `${file}:${line} ${message}`)).toEqual([]);
  });

  it("is looked for in every kind of file", () => {
    const all = proseFiles(REPOSITORY);
    expect(all).toEqual(expect.arrayContaining(["README.md", "docs/node.md", ".ci/run", "test/prose.test.ts"]));
    for (const ending of [".ts", ".js", ".mjs", ".lua", ".sh"]) {
      expect(all.filter((file) => file.endsWith(ending))).not.toEqual([]);
    }
    expect(all.filter((file) => /node_modules|dist\//u.test(file))).toEqual([]);
  });
});

describe("the rule about words", () => {
  it.each([
    ["docs/page.md", "One line.\n\nNo·body asks.\n"],
    ["a.ts", "const a = 1;\n\n// Any·body may call.\n"],
    ["a.ts", 'const a = 1;\n\nit("tells w·hoever asks", () => {});\n'],
    ["a.ts", "const a = 1;\n\nthrow new Error(`there is n·one, $·{a} be·sides`);\n"],
    ["a.ts", "const a = `$·{[1].map((b) => `$·{b}`)}`;\n\n/* hea·rs of */ const b = 1 / 2; // fine\n"],
    ["a.sh", "#!/bin/sh\n\n# Hea·rd of.\n"],
    ["a.ts", 'const wh·o = ["wh·o"];\n\nit("tells those wh·o ask", () => {});\n'],
  ])("finds a banned word in the third line of %s: %j", (file, source) => {
    const found = rulesOf(file, plant(source));
    expect(new Set(found)).toEqual(new Set(["3 word"]));
  });

  it("finds fragments in comments", () => {
    const source = "// O·f two keys.\n\n// A·s above.\n\n// As in `a`. Of two.\n";
    expect(rulesOf("a.ts", plant(source))).toEqual(["1 word", "3 word"]);
  });
});

describe("the rule about sentences", () => {
  it.each([
    ["page.md", (text: string) => `# Title\n\n${text}\n`],
    ["a.ts", (text: string) => `const a = 1;\n\n// ${text}\n`],
  ])("allows %s 40 words, not 41", (file, source) => {
    const ofSentences = (text: string) => rulesOf(file, source(text)).filter((found) => found.endsWith("sentence"));
    expect(ofSentences(manyWords(MAX_WORDS))).toEqual([]);
    expect(ofSentences(manyWords(MAX_WORDS + 1))).toEqual(["3 sentence"]);
  });
});

describe("the rule about columns", () => {
  it.each([
    ["page.md", (text: string) => `# Title\n\n${text}\n`, 0],
    ["a.ts", (text: string) => `const a = 1;\n\n// ${text}\n`, 5],
    ["a.mjs", (text: string) => `const a = 1;\n\ncall(); // ${text}\n`, 15],
  ])("allows %s 120 columns, not more", (file, source, taken) => {
    expect(rulesOf(file, source(wide(MAX_COLUMNS - taken)))).toEqual([]);
    expect(rulesOf(file, source(wide(MAX_COLUMNS - taken + 5)))).toEqual(["3 width"]);
  });
});

describe("Markdown pages", () => {
  it("link only to files and headings that exist", () => {
    expect(brokenLinks(REPOSITORY, proseFiles(REPOSITORY))).toEqual([]);
  });

  it("are reported where they link to a missing file or heading", () => {
    const root = temporaryFolder();
    plantFiles(root, {
      "a.md":
        "# A page\n\n[b](docs/b.md), [c](docs/c.md),\n[own](#a-page), [none](#none), [web](https://example.com)\n",
      "docs/b.md": "## `code` and *more*, twice\n\n[a](../a.md#a-page) [a](../a.md#b) [own](#code-and-more-twice)\n",
      "docs/d.md": "```md\n# Hidden\n[code](e.md)\n```\n[no heading](#hidden)\n",
    });
    const broken = brokenLinks(root, proseFiles(root));
    remove(root);
    expect(broken).toEqual(["a.md:3 docs/c.md", "a.md:4 #none", "docs/b.md:3 ../a.md#b", "docs/d.md:5 #hidden"]);
  });

  it("name only source files that exist", () => {
    expect(missingFiles(REPOSITORY, proseFiles(REPOSITORY))).toEqual([]);
  });

  it("are reported where they name a source file that does not exist", () => {
    const root = temporaryFolder();
    plantFiles(root, {
      "src/a.ts": "",
      "page.md": "`a.ts`, `src/a.ts`, `src/NAME.ts`, `a.md`\n\n| `b.ts` |\n\n```text\n`c.ts`\n```\n\n`rc/a.ts`\n",
    });
    const missing = missingFiles(root, proseFiles(root));
    remove(root);
    expect(missing).toEqual(["page.md:3 b.ts", "page.md:9 rc/a.ts"]);
  });
});
