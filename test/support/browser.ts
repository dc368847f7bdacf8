import axe from "axe-core";
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from "playwright-core";

/** One of Debian's chromium. It asks for nothing on its own: every request is one of the page's. */
export function openBrowser(): Promise<Browser> {
  const args = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"];
  return chromium.launch({ executablePath: "/usr/bin/chromium", args: [...args, "--disable-sync"] });
}

export interface Watched {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What a page must not do: errors in the console, uncaught errors, breaches of its security policy. */
  readonly complaints: string[];
  /** Requests to other hosts than that of the page. */
  readonly outside: string[];
  /** The serious and critical findings of axe, one line each. */
  accessibility(): Promise<readonly string[]>;
}

/** A new page in a context of its own that leads to `origin`, such as `http://127.0.0.1:8081`, and nowhere else. */
export async function watchedPage(
  browser: Browser,
  origin: string,
  options: BrowserContextOptions = {},
): Promise<Watched> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const complaints: string[] = [];
  const outside: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("request", (request) => {
    const url = request.url();
    if (!(url.startsWith(`${origin}/`) || url.startsWith("data:") || url.startsWith("blob:"))) outside.push(url);
  });
  return { page, context, complaints, outside, accessibility: () => findingsOfAxe(page) };
}

interface AxeResults {
  readonly violations: readonly { id: string; impact: string; nodes: readonly { html: string }[] }[];
}

// The page's own policy may forbid scripts of others, so axe is evaluated by the debugger and not added as an element.
async function findingsOfAxe(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  const results = (await page.evaluate("axe.run()")) as AxeResults;
  return results.violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(" | ")}`);
}
