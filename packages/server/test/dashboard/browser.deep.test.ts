import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { openBrowser, type Watched, watchedPage } from "../../../../test/support/browser.ts";
import { call } from "../support/call.ts";
import { startServing } from "../support/command-process.ts";
import { JSON_BODY } from "../support/json-body.ts";
import { limitsFile } from "../support/limits-file.ts";

const WRITER = "writer-0123456789";
const READER = "reader-0123456789";
const LIMITS = `
version: 1
domains:
  api:
    limits:
      client: { by: ip, rate: 20/1m, quota: 5000/1d }
      search: { match: { path: /search }, by: ip, rate: 3/1m, mode: shadow }
      login: { match: { method: POST, path: /login }, by: ip, within: 5/15m, blockFor: 10m }
      user: { match: { path: /user }, by: header.x-user, rate: 3/1h }
`;
const HOSTILE = [
  '<img src=x onerror="alert(1)">',
  "\u001b[2J\u001b]0;owned\u0007",
  "x".repeat(10_000),
  "\u202egnp.exe",
];

const LOGIN_KEY = encodeURIComponent(JSON.stringify({ limiter: "api/login", key: "192.0.2.7" }));

/** So many calls are found though one in 32 is looked at. */
const MANY = 400;

/** The folder of the pictures, and whether this run draws them. */
const PICTURES = fileURLToPath(new URL("../../../../docs/dashboard/", import.meta.url));
const IS_DRAWING = process.env["TOLLGATE_PICTURES"] !== undefined;
const MOST_BYTES = 60_000;
/** The library's `page.deep.test.ts` looks at the page in both. */
const SCHEMES = IS_DRAWING ? (["light", "dark"] as const) : (["dark"] as const);

interface Service {
  readonly adminUrl: string;
  /** Decides so many requests with these facts. Returns how many were admitted. */
  decide(facts: object, times?: number): Promise<number>;
}

/** The built service, which has the page, over a limits file and tokens. */
async function startService(...flags: readonly string[]): Promise<Service> {
  const file = await limitsFile(LIMITS);
  const folder = await mkdtemp(join(tmpdir(), "tollgate-token-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const tokens = join(folder, "tokens");
  await writeFile(tokens, `${WRITER} ann\n${READER} eve read\n`);
  const admin = ["--admin-port", "0", "--admin-token-file", tokens];
  const { command, url } = await startServing(["--limits", file.path, ...admin, ...flags]);
  const [, adminUrl = ""] = /serves operators on (\S+)/.exec(command.stdout) ?? [];
  return {
    adminUrl,
    decide: async (facts, times = 1) => {
      let admitted = 0;
      const most = Math.min(100, Math.ceil(10_000 / JSON.stringify(facts).length));
      for (let left = times; left > 0; left -= most) {
        const requests = Array.from({ length: Math.min(left, most) }, () => ({ domain: "api", facts }));
        const body = JSON.stringify({ requests });
        const answer = await call(`${url}/v1/decide`, { method: "POST", headers: JSON_BODY, body });
        const { results } = JSON.parse(answer.body) as { readonly results: readonly { readonly allowed: boolean }[] };
        admitted += results.filter(({ allowed }) => allowed).length;
      }
      return admitted;
    },
  };
}

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

async function signIn({ adminUrl }: Service, token: string, options: BrowserContextOptions = {}): Promise<Watched> {
  const watched = await watchedPage(browser, adminUrl, { viewport: { width: 720, height: 540 }, ...options });
  onTestFinished(() => watched.context.close());
  await watched.page.goto(`${adminUrl}/#token=${token}`);
  await watched.page.getByText(/^Live/).waitFor();
  return watched;
}

/** Presses Tab until the focus is on an element for which the expression is true. */
async function tabTo(page: Page, isFound: string): Promise<void> {
  for (let presses = 0; presses < 80; presses += 1) {
    await page.keyboard.press("Tab");
    const found: unknown = await page.evaluate(`(({ innerText, type }) => ${isFound})(document.activeElement)`);
    if (found === true) return;
  }
  throw new Error(`no element has the focus for which ${isFound}`);
}

async function draw(page: Page, name: string): Promise<void> {
  if (!IS_DRAWING) return;
  await mkdir(PICTURES, { recursive: true });
  const picture = await page.screenshot({ path: join(PICTURES, `${name}.png`) });
  expect(picture.byteLength).toBeLessThanOrEqual(MOST_BYTES);
}

describe("the dashboard of the service", () => {
  it("leads from a link with a token to the key that is limited and to its reset, by keyboard alone", async () => {
    const service = await startService();
    const facts = { path: "/user", header: { "x-user": HOSTILE[0] } };
    await service.decide(facts, MANY);
    const { page, complaints, outside } = await signIn(service, WRITER);
    await page.getByText("limited now").first().waitFor();
    await expect.poll(() => page.url()).not.toContain(WRITER);
    await tabTo(page, 'innerText === "Keys"');
    await page.keyboard.press("Enter");
    await tabTo(page, 'type === "checkbox"');
    await page.keyboard.press("Space");
    await page.getByRole("link", { name: "<img" }).first().waitFor();
    await tabTo(page, 'innerText.startsWith("<img")');
    await page.keyboard.press("Enter");
    await page.getByText("3 of 3 requests used").waitFor();
    for (let presses = 0; presses < 2; presses += 1) {
      await tabTo(page, 'innerText === "Reset"');
      await page.keyboard.press("Enter");
    }
    await page.getByText("It passes now.").waitFor();
    expect(await service.decide(facts, 10)).toBe(3);
    expect([complaints, outside]).toEqual([[], []]);
  });

  it("turns a rule off for a time, and says so where limits are shown", async () => {
    const service = await startService("--workers", "2");
    const login = { ip: "192.0.2.7", method: "POST", path: "/login" };
    const { page } = await signIn(service, WRITER);
    await page.getByText("2 of 2").waitFor();
    await page.getByRole("link", { name: "limits", exact: true }).click();
    const row = page.getByRole("row", { name: "login.within" });
    await row.getByRole("button", { name: "Change" }).click();
    await page.getByRole("dialog").getByLabel("Mode").selectOption("off");
    await page.getByRole("dialog").getByRole("button", { name: "Change" }).press("Enter");
    await row.getByText("off by ann, ends in").waitFor();
    expect(await service.decide(login, 10)).toBe(10);
    await page.getByRole("link", { name: "events" }).click();
    await page.getByRole("row", { name: "api/login" }).getByText("ann").waitFor();
  });

  it("masks keys of a session that may only look, and offers no change", async () => {
    const service = await startService();
    await service.decide({ path: "/user", header: { "x-user": "secret-user" } }, MANY);
    const { page } = await signIn(service, READER);
    await page.getByText("Live, read-only").waitFor();
    await page.getByRole("link", { name: "keys", exact: true }).click();
    await page.getByRole("link", { name: "key-" }).first().click();
    await page.getByText("3 of 3 requests used").waitFor();
    expect(await page.locator("dialog").count()).toBe(0);
    expect(await page.content()).not.toContain("secret-user");
  });

  it.each(SCHEMES)("has no serious finding of axe, and fits in 360 px: %s", async (colorScheme) => {
    const service = await startService();
    const login = { ip: "192.0.2.7", method: "POST", path: "/login" };
    for (const user of IS_DRAWING ? [] : HOSTILE)
      await service.decide({ path: "/user", header: { "x-user": user } }, MANY);
    await service.decide(login, IS_DRAWING ? 10 : MANY);
    const watched = await signIn(service, WRITER, { colorScheme });
    const { page, accessibility } = watched;
    for (let second = IS_DRAWING ? 0 : 45; second < 45; second += 1) {
      await service.decide({ ip: `198.51.100.${second % 7}` }, Math.round(12 + 8 * Math.sin(second / 6)));
      await service.decide({ ip: `203.0.113.${second}`, path: "/search" }, 8);
      await service.decide(login, Math.round(9 + 6 * Math.sin(second / 9)));
      await page.waitForTimeout(1_000);
    }
    await page.getByText(/[0-9] keys? (is|are) limited now/).waitFor();
    await draw(page, `overview-${colorScheme}`);
    for (const [hash, heading] of [
      [`key/${LOGIN_KEY}`, "192.0.2.7"],
      ["overview", "limited now"],
      ["keys", "Keys"],
      ["limits", "Limits"],
      ["events", "Events"],
    ] as const) {
      await page.goto(`${service.adminUrl}/#/${hash}`);
      await page.getByRole("heading", { name: heading, level: 1 }).waitFor();
      if (hash.startsWith("key/")) {
        await page.getByText("5 of 5 requests used").waitFor();
        await draw(page, `key-${colorScheme}`);
      }
      expect({ hash, findings: await accessibility() }).toEqual({ hash, findings: [] });
      await page.setViewportSize({ width: 360, height: 800 });
      await expect.poll(() => page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(360);
      await page.setViewportSize({ width: 720, height: 540 });
    }
    expect([watched.complaints, watched.outside]).toEqual([[], []]);
  });
});
