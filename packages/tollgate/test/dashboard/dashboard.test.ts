import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type AsyncLimiter, createLimiter, fixedWindow, type Limiter, perMinute } from "tollgate";
import { type Dashboard, type DashboardOptions, dashboard, type KeyDetail } from "tollgate/dashboard";
import { manualClock } from "tollgate/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { type PageEvents, readEvents } from "../../../../test/support/dashboard-events.ts";

const START_MS = Date.UTC(2026, 10, 23, 12);
const OWN = { "content-type": "application/json", "sec-fetch-site": "same-origin" };
const MARKUP = '<img src=x onerror="alert(1)">';
const CONTROLS = "\u001b[2J\u001b]0;owned\u0007";

type Options = DashboardOptions<Request>;

function setUp(options: Options = {}, make?: (clock: ReturnType<typeof manualClock>) => (Limiter | AsyncLimiter)[]) {
  const clock = manualClock(START_MS);
  const api = createLimiter({ name: "api", limits: [perMinute(4, { name: "calls" })], clock });
  const changes: string[] = [];
  const board = dashboard<Request>(make?.(clock) ?? [api], {
    authorize: () => ({ who: "ann", access: "write" }),
    onAct: ({ action, limiter }, { who }) => void changes.push(`${who} ${action} ${limiter}`),
    clock,
    ...options,
  });
  onTestFinished(() => board.close());
  return { clock, api, board, changes };
}

function get(board: Dashboard, path: string, headers: Record<string, string> = {}): Promise<Response> {
  return board.fetch(new Request(`http://localhost/dashboard/${path}`, { headers }));
}

function post(board: Dashboard, path: string, body: unknown, headers: Record<string, string> = OWN): Promise<Response> {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return board.fetch(new Request(`http://localhost/dashboard/${path}`, { method: "POST", headers, body: text }));
}

async function look(board: Dashboard, query = "") {
  const { body } = await get(board, `snapshots${query}`);
  if (body === null) throw new Error("expected a stream");
  const events = await readEvents(body);
  onTestFinished(() => events.cancel());
  return events;
}

/** Lets so many seconds pass, and what the board does in each. */
async function seconds(clock: ReturnType<typeof manualClock>, count: number): Promise<void> {
  for (let second = 0; second < count; second += 1) {
    clock.advance(1_000);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe("dashboard", () => {
  it("tells each second what was decided, and which keys are limited", async () => {
    const { clock, api, board } = setUp();
    const page = await look(board, "?keys=shown");
    expect(page.first).toMatchObject({ access: "write", points: [], keys: [] });
    await seconds(clock, 1);
    for (let call = 0; call < 300; call += 1) api.allow("ann");
    await seconds(clock, 4);
    const [, first, second] = page.snapshots;
    expect(first?.points[0]).toMatchObject({
      atMs: START_MS + 2_000,
      admitted: 4,
      denied: 296,
      degraded: 0,
      shadow: 0,
    });
    expect(first?.limits).toEqual([
      {
        limiter: "api",
        limit: "calls",
        numbers: "4 requests at once, 4 per 1m",
        mode: "enforce",
        admitted: 4,
        denied: 296,
        degraded: 0,
        shadow: 0,
      },
    ]);
    expect(first?.stores).toMatchObject([{ name: "memory", keys: 1, overflowed: 0, maxKeys: 1_000_000 }]);
    expect(first?.events).toMatchObject([
      { text: "denied: exhausted under calls", key: { limiter: "api", key: "ann" } },
      { text: "295 more denied" },
    ]);
    expect(second?.points).toMatchObject([{ admitted: 0, denied: 0 }]);
    expect(second?.keys).toMatchObject([{ limiter: "api", key: "ann", used: 1, untilMs: START_MS + 16_000 }]);
  });

  it("tells both percentiles as soon as a call was timed", async () => {
    const { clock, api, board } = setUp();
    const page = await look(board);
    const isTimed = async (): Promise<boolean> => {
      for (let call = 0; call < 16; call += 1) api.allow("ann");
      await seconds(clock, 1);
      return page.snapshots.some(({ points }) => points.some(({ p50Ms }) => p50Ms !== null));
    };
    while (!(await isTimed()));
    const points = page.snapshots.flatMap((snapshot) => snapshot.points);
    expect(points.map(({ p99Ms }) => p99Ms !== null)).toEqual(points.map(({ p50Ms }) => p50Ms !== null));
  });

  it("masks keys until a page may see them", async () => {
    const { clock, api, board } = setUp({ authorize: () => ({ who: "bob", access: "read" }) });
    const page = await look(board, "?keys=shown");
    expect(page.first).toMatchObject({ access: "read" });
    await seconds(clock, 1);
    for (let call = 0; call < 300; call += 1) api.allow("ann");
    await seconds(clock, 3);
    const snapshots = page.snapshots.slice(1);
    expect(JSON.stringify(snapshots)).not.toContain('"ann"');
    // printf %s ann | sha256sum
    expect(snapshots[1]?.keys).toMatchObject([{ key: "key-49915e0d7d4b" }]);
  });

  it("keeps the history while no page looks", async () => {
    const { clock, api, board } = setUp();
    for (let second = 0; second < 30; second += 1) {
      api.allow("ann");
      await seconds(clock, 1);
    }
    const { first } = await look(board);
    expect(first.points).toHaveLength(29);
    expect(first.points.slice(0, 4).map(({ admitted, denied }) => [admitted, denied])).toEqual([
      [1, 0],
      [1, 0],
      [1, 0],
      [0, 1],
    ]);
  });

  it("explains a key: its limits, when a cost passes, and its latest decisions", async () => {
    const { clock, api, board } = setUp();
    for (let call = 0; call < 6; call += 1) api.allow("ann");
    const answer = await post(board, "key?keys=shown", { limiter: "api", key: "ann", cost: 2 });
    const detail = (await answer.json()) as KeyDetail;
    expect(detail).toMatchObject({ limiter: "api", key: "ann", allowed: false, retryAfterMs: 30_000 });
    expect(detail.limits).toMatchObject([{ name: "calls", capacity: 4, used: 4, allowed: false }]);
    expect(detail.decisions).toMatchObject([{ allowed: false, reason: "exhausted", limit: "calls" }, {}]);
    await seconds(clock, 20);
    api.allow("ann");
    const later = (await (await post(board, "key", { limiter: "api", id: detail.id })).json()) as KeyDetail;
    expect(later.decisions.map(({ allowed }) => allowed)).toEqual([true, false, false]);
  });

  it("resets, blocks and unblocks a key, and tells the application", async () => {
    const { api, board, changes } = setUp();
    while (api.allow("ann"));
    expect((await post(board, "act", { action: "reset", limiter: "api", key: "ann" })).status).toBe(200);
    expect(api.allow("ann")).toBe(true);
    const block = { action: "block", limiter: "api", key: "ann", for: "10m", reason: "abuse" };
    expect((await post(board, "act", block)).status).toBe(200);
    expect(api.consume("ann")).toMatchObject({ reason: "blocked", block: { endsInMs: 600_000, reason: "abuse" } });
    expect((await post(board, "act", { action: "unblock", limiter: "api", key: "ann" })).status).toBe(200);
    expect(api.allow("ann")).toBe(true);
    expect(changes).toEqual(["ann reset api", "ann block api", "ann unblock api"]);
  });

  it("finds keys that are tuples by their parts and by their ids", async () => {
    const { api, board } = setUp({}, (clock) => [
      createLimiter({ name: "routes", key: (id: string) => ["ann", id], limits: [perMinute(2)], clock }),
    ]);
    void api;
    const named = { limiter: "routes", key: ["ann", "/report"] };
    const detail = (await (await post(board, "key?keys=shown", named)).json()) as KeyDetail;
    expect(detail.key).toBe('["ann","/report"]');
    expect((await post(board, "act", { action: "block", limiter: "routes", id: detail.id, for: "1m" })).status).toBe(
      200,
    );
    expect(await (await post(board, "key", named)).json()).toMatchObject({ allowed: false, retryAfterMs: 60_000 });
  });

  it.each([MARKUP, CONTROLS, '["not a tuple'])("tells odd keys as they are: case %#", async (key) => {
    const { clock, api, board } = setUp();
    const page = await look(board, "?keys=shown");
    await seconds(clock, 1);
    for (let call = 0; call < 300; call += 1) api.allow(key);
    api.block(key, "1h");
    await seconds(clock, 3);
    const { keys } = await page.find((snapshot) => snapshot.keys.some(({ reason }) => reason !== undefined));
    expect(keys).toMatchObject([{ key, calls: expect.any(Number), reason: "", untilMs: START_MS + 3_601_000 }]);
    const [row] = keys;
    const answer = await post(board, "key?keys=shown", { limiter: "api", id: row?.id });
    expect(await answer.json()).toMatchObject({ key, allowed: false });
    expect((await post(board, "act", { action: "unblock", limiter: "api", id: row?.id })).status).toBe(200);
    expect(api.blockedUntil(key)).toBeUndefined();
  });

  it("lists each key once: first those that are limited, then those that are close to a limit", async () => {
    const clock = manualClock(START_MS);
    const limiter = createLimiter({ name: "big", limits: [fixedWindow({ limit: 1_000, window: "1m" })], clock });
    const { board } = setUp({ clock }, () => [limiter]);
    const page = await look(board, "?keys=shown");
    limiter.block("eve", "1h", { reason: "abuse" });
    for (const [key, calls] of [
      ["far", 500],
      ["close", 900],
      ["ann", 2_000],
    ] as const)
      for (let call = 0; call < calls; call += 1) limiter.allow(key);
    await seconds(clock, 1);
    const { keys, listsBlocked } = await page.find((snapshot) => snapshot.keys.length === 4);
    expect(keys.map(({ key }) => key)).toEqual(["ann", "eve", "close", "far"]);
    expect([listsBlocked, keys[1]]).toMatchObject([true, { reason: "abuse", untilMs: START_MS + 3_600_000 }]);
  });

  it("shows a key of 10 kB by its beginning, and finds it by its whole text", async () => {
    const { clock, api, board } = setUp();
    const key = MARKUP + "x".repeat(10_000);
    const page = await look(board, "?keys=shown");
    await seconds(clock, 1);
    for (let call = 0; call < 300; call += 1) api.allow(key);
    await seconds(clock, 3);
    const snapshot = await page.find(({ keys }) => keys.length === 1);
    expect(JSON.stringify(page.snapshots).length).toBeLessThan(5_000);
    const [row] = snapshot.keys;
    expect((await post(board, "key", { limiter: "api", id: row?.id })).status).toBe(404);
    const answer = await post(board, "key?keys=shown", { limiter: "api", key });
    const detail = (await answer.json()) as KeyDetail;
    expect(detail).toMatchObject({ key, allowed: false });
    expect(detail.decisions.length).toBe(50);
  });

  it("serves the page with a policy that lets nothing in", async () => {
    const { board } = setUp();
    const page = await get(board, "");
    expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(await page.text()).toContain('<div id="app"></div>');
    for (const path of ["/dashboard", "//evil.example/dashboard"]) {
      const bare = await board.fetch(new Request(`http://localhost${path}`));
      expect([bare.status, bare.headers.get("location")]).toEqual([302, "./dashboard/"]);
    }
    // Without its dot this would lead to another host.
    const scheme = await board.fetch(new Request("http://localhost/http:evil"));
    expect(scheme.headers.get("location")).toBe("./http:evil/");
    expect((await get(board, "page.js")).headers.get("content-type")).toBe("text/javascript; charset=utf-8");
    expect((await get(board, "favicon.ico")).status).toBe(404);
  });

  it("changes nothing by default, and asks the application about the client", async () => {
    const reader = setUp({ authorize: undefined });
    expect((await post(reader.board, "act", { action: "reset", limiter: "api", key: "ann" })).status).toBe(403);
    expect((await post(reader.board, "key", { limiter: "api", key: "ann" })).status).toBe(200);
    const stranger = setUp({ authorize: () => undefined });
    expect((await get(stranger.board, "snapshots")).status).toBe(401);
    expect((await post(stranger.board, "key", { limiter: "api", key: "ann" })).status).toBe(401);
  });

  it.each([
    ["another site", { ...OWN, "sec-fetch-site": "cross-site" }, 403],
    ["another port of the host", { ...OWN, "sec-fetch-site": "same-site" }, 403],
    ["no page", { "content-type": "application/json" }, 403],
    [
      "another origin without Sec-Fetch-Site",
      { "content-type": "application/json", origin: "http://evil.example" },
      403,
    ],
    ["its own origin without Sec-Fetch-Site", { "content-type": "application/json", origin: "http://localhost" }, 200],
    ["a form", { ...OWN, "content-type": "text/plain" }, 415],
  ])("answers a change by where it comes from: %s", async (_, headers, status) => {
    const { board } = setUp();
    const answer = await post(board, "act", { action: "reset", limiter: "api", key: "ann" }, headers);
    expect(answer.status).toBe(status);
  });

  it("does not let a page of another origin look", async () => {
    const { board } = setUp();
    expect((await get(board, "snapshots", { "sec-fetch-site": "same-site" })).status).toBe(403);
  });

  it.each([
    ["act", "no JSON", 400],
    ["act", [], 400],
    ["act", { action: "destroy", limiter: "api", key: "ann" }, 400],
    ["act", { action: "off", limiter: "api", for: "1m" }, 501],
    ["act", { action: "block", limiter: "api", key: "ann", for: "soon" }, 400],
    ["act", { action: "reset", limiter: "other", key: "ann" }, 404],
    ["act", { action: "reset", limiter: "api", id: "k99" }, 404],
    ["key", { limiter: "api", key: "ann", cost: -1 }, 400],
    ["key", { limiter: "api", key: 7 }, 400],
    ["key", { limiter: "api", key: "x".repeat(20_000) }, 413],
  ])("refuses a wrong body of %s: %#", async (path, body, status) => {
    const { board } = setUp();
    const answer = await post(board, path, body);
    expect(answer.status).toBe(status);
    expect(await answer.json()).toEqual({ error: expect.any(String) });
  });

  it("refuses more pages of one name than half of all, and serves others when they have gone", async () => {
    let who = "ann";
    const { board } = setUp({ authorize: () => ({ who, access: "write" }) });
    const pages: PageEvents[] = [];
    for (let page = 0; page < 12; page += 1) pages.push(await look(board));
    const refused = await get(board, "snapshots");
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "10"]);
    who = "bob";
    for (let page = 0; page < 12; page += 1) await look(board);
    who = "eve";
    expect((await get(board, "snapshots")).status).toBe(429);
    await pages[0]?.cancel();
    expect((await get(board, "snapshots")).status).toBe(200);
  });

  it("buffers nothing for a page that does not read, and drops it after half a minute", async () => {
    const { clock, board } = setUp();
    const [slow, gone] = [await get(board, "snapshots"), await get(board, "snapshots")];
    await seconds(clock, 20);
    const page = await readEvents(slow.body!);
    onTestFinished(() => page.cancel());
    await seconds(clock, 20);
    expect(page.snapshots[0]?.points).toMatchObject([{ atMs: START_MS + 21_000 }]);
    await expect(gone.body!.getReader().read()).rejects.toThrow("does not read");
  });

  it("ends a page's stream after a quarter of an hour, so that it has to ask again", async () => {
    const { clock, board } = setUp();
    const page = await look(board);
    await seconds(clock, 902);
    await page.ended;
    expect(page.snapshots.length).toBe(900);
  });

  it("is a handler of node, also for a client that hangs up", async () => {
    const { clock, api, board } = setUp();
    const server = createServer((request, response) => void board.node(request, response));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const answer = await fetch(`${base}snapshots?keys=shown`);
    const page = await readEvents(answer.body!);
    await seconds(clock, 1);
    api.allow("ann");
    await seconds(clock, 1);
    const { points } = await page.find((snapshot) => snapshot.points.some(({ admitted }) => admitted > 0));
    expect(points).toMatchObject([{ admitted: 1 }]);
    await page.cancel();
    const body = JSON.stringify({ action: "reset", limiter: "api", key: "ann" });
    expect((await fetch(`${base}act`, { method: "POST", headers: OWN, body })).status).toBe(200);
    expect((await fetch(`${base}act`)).status).toBe(405);
    server.closeAllConnections();
  });

  it("goes on when a log of errors fails, too", async () => {
    const { clock, api, board } = setUp({
      mask: () => {
        throw new Error("a mask that fails");
      },
      logError: () => {
        throw new Error("a log that fails");
      },
    });
    const page = await look(board);
    await seconds(clock, 1);
    for (let call = 0; call < 300; call += 1) api.allow("ann");
    await seconds(clock, 2);
    const { first } = await look(board, "?keys=shown");
    expect(first.points).toHaveLength(2);
    expect(page.snapshots).toHaveLength(1);
  });

  it("refuses limiters without names", () => {
    expect(() => dashboard([createLimiter({ limits: [perMinute(1)] })])).toThrow("expected limiters with names");
  });
});
