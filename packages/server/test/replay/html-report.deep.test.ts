import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openBrowser, type Watched, watchedPage } from "../../../../test/support/browser.ts";
import { remove, temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { runReplayCommand } from "../../src/replay/replay-command.ts";
import { combinedLog, generatedDay, jsonLog } from "./generated-day.ts";

const PICTURE = fileURLToPath(new URL("../../../../docs/replay/report.png", import.meta.url));
const LIMITS =
  "version: 1\ndomains:\n  web:\n    limits:\n      client: { by: ip, rate: 20/1m, burst: 40 }\n" +
  "      login: { match: { path: /login }, by: ip, within: 30/10m }\n";
/** Names that want to be markup, to colour a terminal, to turn the direction of text, or to be very long. */
const NAMES = [
  "<img src=x onerror=alert(1)>",
  "</title></style></svg><script>document.title = 'taken'</script>",
  '" onmouseover="alert(1)',
  "\u001b[31mred\u001b]0;title\u0007",
  "\u202egnirts desrever",
  "x".repeat(10_000),
  "__proto__",
];

let folder: string;
let browser: Browser;
beforeAll(async () => {
  folder = temporaryFolder();
  browser = await openBrowser();
  writeFileSync(join(folder, "limits.yaml"), LIMITS);
  writeFileSync(join(folder, "day.log"), combinedLog(generatedDay(38, 2_000)));
  const odd = NAMES.flatMap((client) =>
    Array.from({ length: 50 }, () => ({ atUs: 0, client, method: "GET", path: "/" })),
  );
  writeFileSync(join(folder, "odd.log"), jsonLog(odd));
  await report("day.log", "day.html", "--suggest", "99");
  await report("odd.log", "odd.html");
});
afterAll(async () => {
  await browser.close();
  remove(folder);
});

async function report(log: string, html: string, ...flags: readonly string[]): Promise<void> {
  const paths = [join(folder, log), "--limits", join(folder, "limits.yaml"), "--html", join(folder, html)];
  expect(await runReplayCommand([...paths, ...flags], { print: () => {}, printError: () => {} })).toBe(0);
}

async function opened(html: string, options: Parameters<typeof watchedPage>[2] = {}): Promise<Watched> {
  const watched = await watchedPage(browser, pathToFileURL(folder).href, options);
  await watched.page.goto(pathToFileURL(join(folder, html)).href);
  return watched;
}

const SCREENS = {
  light: { viewport: { width: 900, height: 800 }, colorScheme: "light" },
  "of a phone, dark": { viewport: { width: 360, height: 740 }, colorScheme: "dark" },
} as const;

describe("the report", () => {
  it.each(Object.entries(SCREENS))("is accessible, and fits, on a screen %s", async (_, screen) => {
    for (const html of ["day.html", "odd.html"]) {
      const { page, context, complaints, outside, accessibility } = await opened(html, screen);
      // Axe takes seconds for the cells of these tables.
      const opensTables = html === "day.html" && screen.viewport.width === 360;
      if (opensTables) for (const summary of await page.locator("summary").all()) await summary.click();
      if (html === "day.html") expect(await accessibility()).toEqual([]);
      expect([complaints, outside]).toEqual([[], []]);
      await expect.poll(() => page.evaluate("document.documentElement.scrollWidth")).toBe(screen.viewport.width);
      await context.close();
    }
  });

  it("says all of it without scripts", async () => {
    const { page, context } = await opened("day.html", { javaScriptEnabled: false });
    const text = await page.locator("main").innerText();
    for (const part of [
      "balanced",
      "tokenBucket({",
      "mode: shadow",
      "client.rate: 40 at once, 20 in 60 s",
      "no client",
    ]) {
      expect(text).toContain(part);
    }
    // A cell for each of 24 refills and 16 capacities, a line for each of three shares, a mark for each limit.
    expect(await page.locator("svg rect[class^=h]").count()).toBe(24 * 16);
    expect([await page.locator("polyline").count(), await page.locator("circle").count()]).toEqual([3, 2]);
    expect(text).toContain("203.0.113.0");
    await context.close();
    expect(readFileSync(join(folder, "day.html"), "utf8")).not.toMatch(/<script|https?:|<link|@import|url\(/);
  });

  it("shows names of clients as text", async () => {
    const { page, context } = await opened("odd.html");
    const rows = page.locator("section").last().locator("tbody th");
    const shown = await rows.allInnerTexts();
    expect(shown).toHaveLength(NAMES.length);
    expect(shown).toContain("<img src=x onerror=alert(1)>");
    expect(shown).toContain("?[31mred?]0;title?");
    expect(shown).toContain("?gnirts desrever");
    expect(shown).toContain("__proto__");
    expect(await page.title()).toContain("odd.log");
    expect(await page.locator("img, script, [onmouseover]").count()).toBe(0);
    await context.close();
  });

  it("has its picture in the docs", async () => {
    const { page, context } = await opened("day.html", { viewport: { width: 480, height: 800 }, colorScheme: "light" });
    const picture = await page.locator("section", { has: page.locator("polyline") }).screenshot();
    expect(picture.length).toBeLessThanOrEqual(60_000);
    if (process.env["TOLLGATE_PICTURES"] !== undefined) writeFileSync(PICTURE, picture);
    await context.close();
  });
});
