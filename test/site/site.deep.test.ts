import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { createLimiter } from "tollgate";
import { manualClock } from "tollgate/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PRESETS } from "../../site/playground/presets.ts";
import { ALGORITHMS, decodeState, encodeState, FIRST, limitOf, type State } from "../../site/playground/state.ts";
import { openBrowser, type Watched, watchedPage } from "../support/browser.ts";
import { buildSite, type ServedSite, serveSite } from "./built-site.ts";

let site: ServedSite;
let browser: Browser;
beforeAll(async () => {
  [, site, browser] = await Promise.all([buildSite(), serveSite(), openBrowser()]);
  // Half a minute of two cores, which other files may share.
}, 600_000);
afterAll(async () => {
  await browser.close();
  await site[Symbol.asyncDispose]();
});

const WIDE = { viewport: { width: 1_280, height: 900 } };

/** Before Vue has mounted the page, keys and clicks are lost. */
async function isMounted(page: Page): Promise<void> {
  await page.waitForFunction("document.getElementById('app').__vue_app__ !== undefined");
}

/** Opens a page, hands it over, and expects that it had no complaint and asked no other host. */
async function visit(
  path: string,
  options: BrowserContextOptions,
  use: (page: Page, watched: Watched) => Promise<void>,
): Promise<void> {
  const watched = await watchedPage(browser, site.origin, options);
  try {
    await watched.page.goto(`${site.origin}${path}`, { waitUntil: "networkidle" });
    await isMounted(watched.page);
    await use(watched.page, watched);
    expect({ complaints: watched.complaints, outside: watched.outside }).toEqual({ complaints: [], outside: [] });
  } finally {
    await watched.context.close();
  }
}

const PLAYED = `/playground.html#${encodeState({ ...FIRST, arrivals: [100, 100, 5_000] })}`;

/** Shows an open page as a phone in dark mode does, once nothing on it moves. */
async function showNarrowAndDark(page: Page): Promise<void> {
  await page.setViewportSize({ width: 360, height: 740 });
  await page.emulateMedia({ colorScheme: "dark" });
  await expect.poll(() => page.evaluate("document.documentElement.classList.contains('dark')")).toBe(true);
  await expect.poll(() => page.evaluate("document.getAnimations().length")).toBe(0);
}

describe.each(["/", "/blocking.html", "/choose.html", PLAYED])("%s", (path) => {
  it("has no serious finding of axe, light or dark, asks no other host, and fits into 360 pixels", async () => {
    await visit(path, WIDE, async (page, watched) => {
      expect(await watched.accessibility()).toEqual([]);
      await showNarrowAndDark(page);
      await expect.poll(() => page.evaluate("document.documentElement.scrollWidth")).toBe(360);
      expect(await watched.accessibility()).toEqual([]);
    });
  });
});

describe("a page with pictures", () => {
  it("shows those of the colour scheme, and no tags", async () => {
    await visit("/dashboard.html", WIDE, async (page) => {
      const sources = async () => {
        const pictures = await page.locator(".vp-doc img:visible").all();
        return Promise.all(pictures.map((picture) => picture.getAttribute("src")));
      };
      const of = (scheme: string) => [1, 2].map(() => expect.stringContaining(scheme));
      expect(await sources()).toEqual(of("light"));
      expect(await page.locator(".vp-doc").textContent()).not.toContain("<picture");
      await showNarrowAndDark(page);
      expect(await sources()).toEqual(of("dark"));
    });
  });
});

describe("the start page", () => {
  it("loads 100 kB at most, gzipped, and leads to each of the four kinds of pages", async () => {
    site.sent.clear();
    await visit("/", WIDE, async (page) => {
      const bytes = [...site.sent.values()].reduce((sum, count) => sum + count, 0);
      expect(bytes).toBeGreaterThan(10_000);
      expect(bytes).toBeLessThanOrEqual(100_000);
      await expect
        .poll(() => page.locator(".VPFeature h2").allTextContents())
        .toEqual(["Start", "How to", "Look up", "Understand"]);
    });
  });
});

/** Questions, and the page among the first four answers. */
const FOUND = {
  "express middleware": "/express.html",
  "behind a proxy": "/identity.html#behind-proxies",
  "redis is down": "/observing.html#outages-of-redis",
  "retry-after header": "/headers.html#retry-after",
  "sliding window or token bucket": "/choosing.html",
  "test with a fake clock": "/testing.html",
  "worker threads": "/threads.html",
  "login brute force": "/recipes/login.html",
  "prometheus metrics": "/observing.html#prometheus",
  "different plans for customers": "/recipes/plans.html",
};

describe("the search", () => {
  it("finds by keyboard the page for a question", async () => {
    await visit("/", WIDE, async (page) => {
      await page.keyboard.press("Control+k");
      await page.locator(".search-input").waitFor();
      for (const [question, expected] of Object.entries(FOUND)) {
        await page.keyboard.type(question);
        const found = page.locator(`#localsearch-list > li:nth-child(-n + 4) a[href^="${expected}"]`);
        await found.first().waitFor();
        await page.keyboard.press("Control+a");
        await page.keyboard.press("Delete");
        await expect.poll(() => page.locator("#localsearch-list a").count()).toBe(0);
      }
    });
  });
});

/** What the page shows of each algorithm. */
async function shown(page: Page): Promise<object[]> {
  const lanes = await page.locator("section[data-lane]").all();
  return Promise.all(
    lanes.map(async (lane) => ({
      algorithm: await lane.getAttribute("data-lane"),
      admitted: Number(await lane.getAttribute("data-admitted")),
      nextPassMs: Number(await lane.getAttribute("data-next")),
    })),
  );
}

/** The same of a limiter in Node, at the moment of the last arrival. */
function inNode(state: State): object[] {
  return ALGORITHMS.map((algorithm) => {
    const clock = manualClock(0);
    const limiter = createLimiter({ limits: [limitOf(algorithm, state)], clock });
    const admitted = state.arrivals.filter((at) => {
      clock.set(at);
      return limiter.allow("ann");
    }).length;
    const { allowed, retryAfterMs } = limiter.peek("ann");
    return { algorithm, admitted, nextPassMs: clock.now() + (allowed ? 0 : retryAfterMs) };
  });
}

const sendButton = (page: Page) => page.getByRole("button", { name: "Send a call" });

describe("the playground in a browser", () => {
  it("counts its presets, and the stamps of a log, as the library in Node", async () => {
    await visit("/playground.html", WIDE, async (page) => {
      for (const [name, preset] of PRESETS) {
        await page.getByRole("button", { name }).click();
        await expect.poll(() => shown(page)).toEqual(inNode(preset));
      }
      await page.getByText("Stamps of a log").click();
      await page
        .getByRole("textbox")
        .fill(Array.from({ length: 14 }, (_, second) => 1_795_910_401 + second).join("\n"));
      const arrivals = Array.from({ length: 14 }, (_, n) => 1_000 + n * 1_000);
      await expect.poll(() => shown(page)).toEqual(inNode({ ...FIRST, arrivals }));
    });
  });

  it("is used by keyboard alone, and a link brings its state back", async () => {
    await visit("/playground.html", { ...WIDE, reducedMotion: "reduce" }, async (page) => {
      await page.getByRole("slider", { name: "Limit" }).focus();
      await page.keyboard.press("ArrowLeft");
      await page.keyboard.press("Tab");
      await page.keyboard.press("Tab");
      await page.keyboard.press("Tab");
      await page.keyboard.press("Enter");
      await page.keyboard.press("Tab");
      await page.keyboard.down(" ");
      await page.waitForFunction("document.querySelector('[data-lane]').dataset.admitted >= 3");
      await page.keyboard.up(" ");
      await page.getByRole("button", { name: "Pause" }).press("Enter");
      await page.waitForFunction("location.hash.startsWith('#limit=9&window=10&burst=10&at=')");
      // The link is written a moment after the last call.
      await page.waitForFunction("(location.hash.match(/at=(.*)/)[1].match(/\\d+(x\\d+)?/g) ?? []).length >= 2");
      await page.reload({ waitUntil: "networkidle" });
      await isMounted(page);
      await expect.poll(() => shown(page)).toEqual(inNode(decodeState(new URL(page.url()).hash)));
    });
  });

  it("moves at most twice a second where less motion is preferred", async () => {
    await visit("/playground.html", { ...WIDE, reducedMotion: "reduce" }, async (page) => {
      await sendButton(page).click();
      const changes = await page.evaluate(`new Promise((resolve) => {
        let count = 0;
        const section = document.querySelector("section[data-lane] p");
        new MutationObserver(() => { count += 1; }).observe(section, { subtree: true, characterData: true, childList: true });
        setTimeout(() => resolve(count), 1_200);
      })`);
      expect(changes).toBeGreaterThan(0);
      expect(changes).toBeLessThanOrEqual(3);
    });
  });

  it("answers the first click within a second of processor time from the start of the page", async () => {
    const watched = await watchedPage(browser, site.origin, WIDE);
    const debug = await watched.context.newCDPSession(watched.page);
    await debug.send("Performance.enable", { timeDomain: "threadTicks" });
    await watched.page.goto(`${site.origin}/playground.html`);
    await sendButton(watched.page).click();
    await watched.page.locator('section[data-admitted="1"]').first().waitFor();
    const { metrics } = await debug.send("Performance.getMetrics");
    const seconds = metrics.find(({ name }) => name === "TaskDuration")?.value;
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThan(1);
    await watched.context.close();
  });
});

describe("Choose your limit in a browser", () => {
  it("is used by keyboard, tells a reason for each answer, and opens the playground", async () => {
    await visit("/choose.html", WIDE, async (page) => {
      await page.getByRole("radio", { name: "A login, or a one-time code" }).focus();
      await page.keyboard.press("Space");
      await page.getByRole("radio", { name: "In many processes, with Redis" }).check();
      await page.getByRole("radio", { name: "Deny them" }).check();
      await expect.poll(() => page.locator("pre").textContent()).toContain('redisStore({ client, onFailure: "deny" })');
      await expect.poll(() => page.locator("[role=status] li").count()).toBe(5);
      await page.getByRole("link", { name: "Open in the playground" }).click();
      await page.waitForURL(/playground\.html#limit=5&window=900&burst=5/);
      await page.locator('section[data-lane="fixed window"][data-admitted="10"]').waitFor();
    });
  });
});
