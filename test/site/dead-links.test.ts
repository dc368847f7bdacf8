import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { deadLinks } from "../../site/dead-links.ts";

const folder = mkdtempSync(join(tmpdir(), "tollgate-links-"));
afterAll(() => rmSync(folder, { recursive: true }));

function write(file: string, text: string): void {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), text);
}

it("finds the links of a built site to pages, headings and files that are not there", () => {
  write("logo.svg", "<svg></svg>");
  write("guide/index.html", '<h2 id="bursts">Bursts</h2><a href="../start">Start</a><a href="#none">None</a>');
  write(
    "start.html",
    `<img src="/logo.svg"><img src="/lost.svg"><a href="/guide/">1</a><a class="x" href="/guide/#bursts">2</a>
     <a href="/guide/#burst">3</a><a href="/gone">4</a><a href="https://example.com/gone">5</a>
     <a href="/start#limit=9">6</a><script src="assets/lost.js"></script>`,
  );
  expect(deadLinks(folder).sort()).toEqual([
    "guide/index.html #none",
    "start.html /gone",
    "start.html /guide/#burst",
    "start.html /lost.svg",
    "start.html assets/lost.js",
  ]);
});
