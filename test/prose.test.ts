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
    ["docs/page.md", "One line.\n\n| a table | some·body |\n"],
    ["a.ts", "const a = 1;\n\n// Any·body may call.\n"],
    ["a.ts", "/**\n * One line.\n * A key is drop·pable.\n */\n"],
    ["a.ts", 'const a = 1;\n\nit("tells w·hoever asks", () => {});\n'],
    ["a.ts", "const a = 1;\n\nthrow new Error(`there is n·one, $·{a} be·sides`);\n"],
    ["a.ts", "const a = `$·{[1].map((b) => `$·{b}`)}`;\n\n/* hea·rs of */ const b = 1 / 2; // fine\n"],
    ["a.lua", "local a = 1\n\n-- As new, but f·or one\n"],
    ["a.sh", "#!/bin/sh\n\n# Hea·rd of.\n"],
    ["a.ts", 'const wh·o = ["wh·o"];\n\nit("tells those wh·o ask", () => {});\n'],
  ])("finds a banned word in the third line of %s: %j", (file, source) => {
    const found = rulesOf(file, plant(source));
    expect(new Set(found)).toEqual(new Set(["3 word"]));
  });

  it("finds a phrase that goes over two lines, where it begins", () => {
    expect(rulesOf("page.md", plant("First.\n\nIt is as go·od\nas new.\n"))).toEqual(["3 word"]);
  });

  it("finds fragments in comments", () => {
    const source = "// O·f two keys.\n\n// A·s above.\n\n// As in `a`. Of two.\n";
    expect(rulesOf("a.ts", plant(source))).toEqual(["1 word", "3 word"]);
  });

  it.each([
    ["page.md", "The function `no·body` and\n\n```ts\nno·body();\n```\n"],
    ["a.ts", "const no·body = /some·body/u.test(text) ? 4 / 2 : [/any·body/u]; // `w·hoever`\n"],
    ["a.ts", "const a = b ? c.be·sides : d.drop·pable;\n"],
    ["page.md", "TypeScript, a somebodything, operas and information in firsthand form.\n"],
  ])("leaves code and longer words alone, in %s: %j", (file, source) => {
    expect(rulesOf(file, plant(source))).toEqual([]);
  });
});

describe("the rule about sentences", () => {
  it.each([
    ["page.md", (text: string) => `# Title\n\n${text}\n`],
    ["page.md", (text: string) => `Fine.\n\n- ${text}\n`],
    ["a.ts", (text: string) => `const a = 1;\n\n// ${text}\n`],
    ["a.ts", (text: string) => `/**\n * Fine.\n * ${text}\n */\n`],
    ["a.lua", (text: string) => `local a\n\n-- ${text}\n`],
  ])("allows %s 40 words, not 41", (file, source) => {
    const ofSentences = (text: string) => rulesOf(file, source(text)).filter((found) => found.endsWith("sentence"));
    expect(ofSentences(manyWords(MAX_WORDS))).toEqual([]);
    expect(ofSentences(manyWords(MAX_WORDS + 1))).toEqual(["3 sentence"]);
  });

  it("counts a sentence over several lines where it begins, and each by itself", () => {
    const lines = (count: number) => manyWords(count).replaceAll(/(?<=( word){9}) /gu, "\n");
    expect(rulesOf("page.md", `First one.\n${lines(30)} ${lines(30)}\n`)).toEqual([]);
    expect(rulesOf("page.md", `First one.\n${lines(45)}\n`)).toEqual(["2 sentence"]);
  });

  it("leaves code, tables and strings alone", () => {
    expect(rulesOf("page.md", `\`\`\`text\n${manyWords(50)}\n\`\`\`\n\n| ${manyWords(50)} |\n`)).toEqual([]);
    expect(rulesOf("a.ts", `const a = "${manyWords(50)}";\n`)).toEqual([]);
  });
});

describe("the rule about columns", () => {
  it.each([
    ["page.md", (text: string) => `# Title\n\n${text}\n`, 0],
    ["a.ts", (text: string) => `const a = 1;\n\n// ${text}\n`, 5],
    ["a.ts", (text: string) => `/**\n * Fine.\n * ${text}\n */\n`, 5],
    ["a.mjs", (text: string) => `const a = 1;\n\ncall(); // ${text}\n`, 15],
  ])("allows %s 120 columns, not more", (file, source, taken) => {
    expect(rulesOf(file, source(wide(MAX_COLUMNS - taken)))).toEqual([]);
    expect(rulesOf(file, source(wide(MAX_COLUMNS - taken + 5)))).toEqual(["3 width"]);
  });

  it("leaves code, tables, directives and addresses alone", () => {
    const address = `See https://example.com/${"a".repeat(120)}`;
    expect(rulesOf("page.md", `${address}\n\n| ${wide(150)} |\n\n\`\`\`\n${wide(150)}\n\`\`\`\n`)).toEqual([]);
    expect(rulesOf("page.md", `${address} and more\n`)).toEqual(["1 width"]);
    expect(rulesOf("a.ts", `// biome-ignore lint: ${wide(150)}\nconst a = "${wide(150)}";\n`)).toEqual([]);
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
