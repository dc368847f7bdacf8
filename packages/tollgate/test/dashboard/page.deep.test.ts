import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import type { KeyDetail, KeyRow, Point, Snapshot } from "tollgate/dashboard";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { openBrowser, type Watched, watchedPage } from "../../../../test/support/browser.ts";
import { type PageServer, startPageServer } from "./page-server.ts";

const HOSTILE = [
  "<img src=x onerror=alert(1)>",
  "\u001b[31mred\u001b[0m\n",
  "x".repeat(10_000),
  "\u202egnp.exe",
  `e${"\u0301".repeat(60)}`,
  "\ud800",
  "",
];
const NOW_MS = Date.UTC(2026, 10, 29, 12);

const point = (atMs: number): Point => ({
  atMs,
  admitted: 900,
  denied: 12,
  degraded: 0,
  shadow: 3,
  p50Ms: 0.02,
  p99Ms: 0.4,
});
const rows: readonly KeyRow[] = HOSTILE.map((key, i) => ({
  limiter: "api/login",
  key,
  id: `key-${i}`,
  calls: 100 - i,
  used: 1,
  denials: 100 - i,
  untilMs: i === 0 ? null : NOW_MS + 65_000,
  reason: key,
}));
const login = {
  limiter: "api/login",
  limit: "login.rate",
  numbers: "10 requests per 1m",
  admitted: 9,
  denied: 2,
  degraded: 0,
};

const SNAPSHOT: Snapshot = {
  access: "write",
  points: [point(NOW_MS - 2_000), point(NOW_MS - 1_000), point(NOW_MS)],
  limits: [
    { ...login, mode: "enforce", shadow: 0 },
    { ...login, limit: "login.day", mode: "enforce", shadow: 0, override: { mode: "off", untilMs: NOW_MS, by: "ann" } },
  ],
  stores: [{ name: "memory", keys: 7, maxKeys: 1_000, bytes: 12_345, overflowed: 0, blocked: 1 }],
  processes: { ready: 1, of: 1 },
  file: { state: "loaded", source: "files", version: "9c0d", sinceMs: NOW_MS, mistakes: [] },
  keys: rows,
  listsBlocked: true,
  events: [{ id: 1, atMs: NOW_MS, text: "2 denials", key: { limiter: "api/login", key: "<b>", id: "key-0" } }],
};
const DETAIL: KeyDetail = {
  limiter: "api/login",
  key: HOSTILE[2]!,
  id: "key-2",
  blockedUntilMs: null,
  limits: [
    {
      name: "login.rate",
      unit: "requests",
      capacity: 10,
      used: 10,
      remaining: 0,
      retryAfterMs: 65_000,
      resetMs: 600_000,
      allowed: false,
      mode: "enforce",
    },
  ],
  allowed: false,
  retryAfterMs: 65_000,
  decisions: [{ atMs: NOW_MS, allowed: false, reason: "exhausted", limit: "login.rate", retryAfterMs: 65_000 }],
};
const DETAIL_HASH = `#/key/${encodeURIComponent(JSON.stringify({ limiter: "api/login", id: "key-2" }))}`;
/** The screens by their headings. */
const SCREENS = {
  "7 keys are limited now": "#/overview",
  Keys: "#/keys",
  Limits: "#/limits",
  Events: "#/events",
  [DETAIL.key]: DETAIL_HASH,
};

let browser: Browser;
let server: PageServer;

beforeAll(async () => {
  browser = await openBrowser();
  server = await startPageServer({ snapshot: SNAPSHOT, detail: DETAIL });
});
afterAll(async () => {
  await browser.close();
  await server.close();
});
beforeEach(() => {
  server.drop();
  Object.assign(server, { snapshot: SNAPSHOT, detail: DETAIL, status: 200 });
  server.posted.length = 0;
});

async function open(hash: string, options?: BrowserContextOptions): Promise<Watched> {
  const watched = await watchedPage(browser, server.origin, options);
  onTestFinished(() => watched.context.close());
  await watched.page.goto(`${server.origin}/${hash}`);
  await watched.page.getByText(/^Live/).waitFor();
  return watched;
}

/** Leads an open page to another screen. */
async function show(page: Page, hash: string): Promise<void> {
  await page.goto(`${server.origin}/${hash}`);
  const [heading = ""] = Object.entries(SCREENS).find(([, own]) => own === hash) ?? [];
  await page.getByRole("heading", { name: heading, level: 1, exact: true }).waitFor();
}

/** Presses Tab until the focus is on a control with this name. */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 60; presses += 1) {
    await page.keyboard.press("Tab");
    const focused = await page.evaluate("document.activeElement?.innerText ?? ''");
    if (focused === name) return;
  }
  throw new Error(`no control is named ${name}`);
}

describe("the page of the dashboard", () => {
  for (const colorScheme of ["light", "dark"] as const) {
    it(`has no serious finding of axe on its screens, keeps its policy and fits in 360 px: ${colorScheme}`, async () => {
      const { page, accessibility, complaints, outside } = await open("", { colorScheme });
      for (const hash of Object.values(SCREENS)) {
        await show(page, hash);
        await page.setViewportSize({ width: 1_100, height: 800 });
        expect({ hash, findings: await accessibility() }).toEqual({ hash, findings: [] });
        await page.setViewportSize({ width: 360, height: 800 });
        await expect.poll(() => page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(360);
      }
      expect(complaints).toEqual([]);
      expect(outside).toEqual([]);
    });
  }

  it("shows keys as text, with control characters visible, and cuts long ones except in their detail", async () => {
    const { page } = await open("#/keys");
    const shown = async () => (await page.locator("tbody th").allInnerTexts()).slice(0, HOSTILE.length);
    await expect
      .poll(shown)
      .toEqual([
        "<img src=x onerror=alert(1)>",
        "^[[31mred^[[0m^J",
        `${"x".repeat(48)} … 10,000 characters`,
        "U+202Egnp.exe",
        `e${"\u0301".repeat(47)} … 61 characters`,
        "U+D800",
        "empty",
      ]);
    expect(await page.locator("img").count()).toBe(0);
    // Stacked marks do not cover the row above.
    const { height } = (await page.locator("tbody tr").nth(4).boundingBox()) ?? { height: 0 };
    expect(height).toBeLessThan(60);
    await page.getByRole("link", { name: "xxx" }).first().click();
    await page.getByText("It passes in 1 min 5 s.").waitFor();
    await expect.poll(() => page.locator("h1").innerText()).toBe("x".repeat(10_000));
    expect(server.posted.at(-1)).toEqual(["key", { limiter: "api/login", id: "key-2", cost: 1 }]);
  });

  it("looks up an exact key, and one of several facts", async () => {
    const { page } = await open("#/keys");
    for (const key of [" a/b#%", '["192.0.2.1","GET"]']) {
      await page.getByLabel("Exact key").fill(key);
      await page.keyboard.press("Enter");
      await page.getByText("It passes in").waitFor();
      await page.goBack();
    }
    const asked = server.posted.map(([, body]) => (body as { readonly key: unknown }).key);
    expect(new Set(asked)).toEqual(new Set([" a/b#%", ["192.0.2.1", "GET"]]));
  });

  it("lists keys by what they have left, by calls, by denials, or the blocked ones first", async () => {
    const keys: readonly KeyRow[] = [
      { limiter: "api", key: "closest", id: "key-1", calls: 1, used: 0.9 },
      { limiter: "api", key: "called", id: "key-2", calls: 9, denials: 1 },
      { limiter: "api", key: "denied", id: "key-3", calls: 5, denials: 5 },
      { limiter: "api", key: "blocked", id: "key-4", reason: "" },
    ];
    Object.assign(server, { snapshot: { ...SNAPSHOT, keys } });
    const { page } = await open("#/keys");
    const orders = { "Most calls": "called", "Most denials": "denied", Blocked: "blocked", "Limited now": "closest" };
    for (const [name, first] of Object.entries(orders)) {
      await page.getByRole("button", { name }).press("Enter");
      await expect.poll(() => page.locator("tbody th").first().innerText()).toBe(first);
    }
  });

  it("has a table behind each chart", async () => {
    const { page } = await open("#/overview");
    for (const name of ["Calls per second", "Duration of decisions"]) {
      await page.getByText(`${name} as a table`).press("Enter");
      const numbers = page.getByRole("table", { name }).locator("tbody tr");
      await expect.poll(() => numbers.count()).toBe(3);
    }
    await page.getByRole("button", { name: "1 hour" }).press("Enter");
    const hour = page.getByRole("table", { name: "Calls per second" }).locator("tbody tr");
    await expect.poll(() => hour.count()).toBe(1);
    await expect.poll(() => page.locator("canvas").count()).toBe(2);
  });

  it("resets a key by keyboard alone, after a confirmation", async () => {
    const { page } = await open(DETAIL_HASH);
    await tabTo(page, "Reset");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor();
    await tabTo(page, "Reset");
    await page.keyboard.press("Enter");
    await page.getByText("It was done.").waitFor();
    const acts = server.posted.filter(([path]) => path === "act");
    expect(acts).toEqual([["act", { action: "reset", limiter: "api/login", id: "key-2" }]]);
  });

  it("blocks a key for a time with a reason, and changes the mode of a limit for a time", async () => {
    const { page } = await open(DETAIL_HASH);
    await page.getByRole("button", { name: "Block" }).click();
    await page.getByLabel("For how long").fill("2h");
    await page.getByLabel("Reason").fill("abuse");
    await page.getByRole("dialog").getByRole("button", { name: "Block" }).click();
    await page.getByText("It was done.").waitFor();
    await page.getByRole("link", { name: "Limits" }).click();
    await page.getByRole("button", { name: "Change" }).first().click();
    await page.getByRole("dialog").getByLabel("Mode").selectOption("off");
    await page.getByRole("dialog").getByRole("button", { name: "Change" }).click();
    await page.getByText("It was done.").waitFor();
    await page.getByRole("button", { name: "Restore" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Restore" }).click();
    await expect
      .poll(() => server.posted.filter(([path]) => path === "act").map(([, body]) => body))
      .toEqual([
        { action: "block", for: "2h", reason: "abuse", limiter: "api/login", id: "key-2" },
        { action: "off", limiter: "api/login", for: "10m" },
        { action: "restore", limiter: "api/login" },
      ]);
  });

  it("says that it is disconnected, keeps the last numbers, and connects again by itself", async () => {
    const { page } = await open("#/overview");
    server.status = 429;
    server.drop();
    await page.getByText("Disconnected: too many lookers").waitFor();
    await page.getByRole("table", { name: "Limits" }).waitFor();
    server.status = 200;
    await page.getByText(/^Live/).waitFor();
    await page.getByText("Disconnected").waitFor({ state: "detached" });
  });

  it("asks for a token without a session, and removes that of a link from the address", async () => {
    server.status = 401;
    const { page } = await watchedPage(browser, server.origin);
    onTestFinished(() => page.context().close());
    await page.goto(`${server.origin}/#token=s%2Fecret`);
    await page.getByLabel("Token of an operator").fill("another");
    expect(page.url()).not.toContain("ecret");
    server.status = 200;
    await page.keyboard.press("Enter");
    await page.getByText(/^Live/).waitFor();
    // A link that is opened where the page is open already.
    await page.evaluate("location.hash = '#token=%'");
    await page.evaluate("location.hash = '#token=third'");
    await expect.poll(() => server.posted.length).toBe(3);
    await expect.poll(() => page.url()).not.toContain("third");
    const tokens = server.posted.map(([, body]) => (body as { readonly token: string }).token);
    expect(tokens).toEqual(["s/ecret", "another", "third"]);
  });

  it("says what is wrong, and offers no change to a session that may only look", async () => {
    server.snapshot = {
      ...SNAPSHOT,
      access: "read",
      stores: [{ name: "redis", server: "down" }],
      processes: { ready: 3, of: 4 },
      file: { ...SNAPSHOT.file!, state: "kept", mistakes: ["limits.yaml:3:5: expected a number"] },
      keys: [],
      listsBlocked: false,
    };
    const { page } = await open("#/overview");
    await page.getByText("Live, read-only").waitFor();
    for (const text of [
      "No keys are limited now",
      "The store redis is down",
      "1 of 4 processes",
      "limits.yaml:3:5: expected a number",
    ])
      await page.getByText(text).waitFor();
    await page.goto(`${server.origin}/#/keys`);
    await page.getByText("Keys are masked").waitFor();
    await page.getByText("The store cannot list blocked keys.").waitFor();
    for (const hash of ["#/limits", DETAIL_HASH]) {
      await show(page, hash);
      expect(await page.locator("dialog").count()).toBe(0);
    }
  });
});
