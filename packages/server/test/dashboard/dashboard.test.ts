import type { KeyDetail } from "tollgate/dashboard";
import { expect, it, onTestFinished } from "vitest";
import { type PageEvents, readEvents } from "../../../../test/support/dashboard-events.ts";
import { type Operated, READER, startOperated, WRITER } from "../operations/operate.ts";
import { openConnection } from "../support/connection.ts";
import { startWithAdmin } from "../support/test-admin.ts";

const OWN = { "content-type": "application/json", "sec-fetch-site": "same-origin" };
const ADDRESS = "192.0.2.1";
const KEY = { limiter: "api/client", key: ADDRESS };

function post(service: Operated, path: string, body: unknown, headers: Record<string, string> = {}) {
  return fetch(`${service.adminUrl}/${path}`, {
    method: "POST",
    headers: { ...OWN, ...headers },
    body: JSON.stringify(body),
  });
}

/** The cookie of a new session. */
async function openSession(service: Operated, token = WRITER): Promise<{ readonly cookie: string }> {
  const answer = await post(service, "session", { token });
  expect(answer.status).toBe(204);
  return { cookie: answer.headers.get("set-cookie")?.split(";")[0] ?? "" };
}

async function look(service: Operated, headers: { readonly cookie: string }): Promise<PageEvents> {
  const { body } = await fetch(`${service.adminUrl}/snapshots?keys=shown`, { headers });
  if (body === null) throw new Error("expected a stream");
  const page = await readEvents(body);
  onTestFinished(() => page.cancel());
  return page;
}

/** Lets seconds pass until the page has a snapshot that fits. */
async function findSoon(service: Operated, page: PageEvents, fits: Parameters<PageEvents["find"]>[0]) {
  const found = page.find(fits);
  const nextTurn = () => new Promise<undefined>((resolve) => setImmediate(() => resolve(undefined)));
  while ((await Promise.race([found, nextTurn()])) === undefined) service.clock.advance(1_000);
  return found;
}

it("opens a session for a token, in a cookie that scripts and other sites do not get", async () => {
  const service = await startOperated();
  const answer = await post(service, "session", { token: WRITER });
  expect(answer.headers.get("set-cookie")).toMatch(
    /^tollgate-[0-9a-f]{12}=[\w-]{32}; HttpOnly; SameSite=Strict; Path=\/; Max-Age=43200$/,
  );
  expect((await fetch(`${service.adminUrl}/snapshots`)).status).toBe(401);
  expect((await post(service, "session", { token: "wrong-0123456789" })).status).toBe(401);
  expect([...service.log, ...service.errors].join("\n")).not.toMatch(/wrong-0123456789|writer-0123456789/);
});

it("tells what the service decides, with the limits as the file has them", async () => {
  const service = await startOperated();
  const page = await look(service, await openSession(service));
  expect(page.first).toMatchObject({ access: "write" });
  await findSoon(service, page, () => true);
  for (let call = 0; call < 5; call += 1) await service.decide({ facts: { ip: ADDRESS } });
  const { limits, file, processes, stores, events } = await findSoon(service, page, ({ points }) =>
    points.some(({ denied }) => denied > 0),
  );
  expect(limits.map(({ limiter, limit, numbers, mode }) => [limiter, limit, numbers, mode])).toEqual([
    ["api/client", "client.rate", "3 requests at once, 3 per 1m", "enforce"],
    ["api/login", "login.within", "1 requests per 15m", "enforce"],
    ["api/key", "", "no call yet", "enforce"],
  ]);
  expect(limits[0]).toMatchObject({ admitted: 3, denied: 2, shadow: 0 });
  expect(file).toMatchObject({ state: "loaded", source: "files", mistakes: [] });
  expect([processes, stores[0]]).toMatchObject([
    { ready: 1, of: 1 },
    { name: "memory", maxKeys: 1_000 },
  ]);
  expect(events).toMatchObject([{ key: KEY }, { text: "1 more denied" }]);
});

it("explains a key, and changes it as the admin API does, with lines of the audit log", async () => {
  const service = await startOperated();
  const session = await openSession(service);
  for (let call = 0; call < 5; call += 1) await service.decide({ facts: { ip: ADDRESS } });
  const detail = async (cost?: number): Promise<KeyDetail> =>
    (await (await post(service, "key", { ...KEY, cost }, session)).json()) as KeyDetail;
  expect(await detail(2)).toMatchObject({ key: ADDRESS, allowed: false, retryAfterMs: 40_000 });
  expect((await detail()).decisions.map(({ reason }) => reason)).toEqual(["exhausted", "exhausted"]);
  expect((await post(service, "act", { action: "reset", ...KEY }, session)).status).toBe(200);
  expect(await detail(3)).toMatchObject({ allowed: true, limits: [{ name: "client.rate", used: 0 }] });
  const block = { action: "block", ...KEY, for: "10m", reason: "abuse" };
  expect(await (await post(service, "act", block, session)).json()).toEqual({ text: "block: done" });
  expect(await detail()).toMatchObject({ allowed: false, retryAfterMs: 600_000 });
  expect((await post(service, "act", { action: "unblock", ...KEY }, session)).status).toBe(200);
  const lines = service.audited();
  expect(lines.map(({ who, action, key }) => [who, action, key])).toEqual([
    ["ann", "key.reset", ADDRESS],
    ["ann", "key.block", ADDRESS],
    ["ann", "key.unblock", ADDRESS],
  ]);
  expect(lines[1]).toMatchObject({ domain: "api", rule: "client", reason: "abuse", request_id: expect.any(String) });
});

it("turns a rule off for a time, and back, and tells it to all pages", async () => {
  const service = await startOperated();
  const session = await openSession(service);
  const page = await look(service, await openSession(service, READER));
  expect((await post(service, "act", { action: "off", limiter: "api/login", for: "10m" }, session)).status).toBe(200);
  const off = await findSoon(service, page, ({ limits }) => limits.some(({ override }) => override !== undefined));
  expect(off.limits.find(({ limiter }) => limiter === "api/login")).toMatchObject({
    mode: "off",
    override: { mode: "off", by: "ann" },
  });
  const told = page.snapshots.flatMap(({ events }) => events);
  expect(told).toMatchObject([{ who: "ann", limiter: "api/login" }]);
  expect((await post(service, "act", { action: "restore", limiter: "api/login" }, session)).status).toBe(200);
  const last = await findSoon(service, page, ({ limits }) => limits.every(({ override }) => override === undefined));
  expect(last).toBeDefined();
  expect(service.audited().map(({ action }) => action)).toEqual(["rule.off", "rule.restore"]);
});

it("lets a token that reads look, with masked keys, and change nothing", async () => {
  const service = await startOperated();
  const session = await openSession(service, READER);
  const page = await look(service, session);
  expect(page.first).toMatchObject({ access: "read" });
  expect((await post(service, "act", { action: "reset", ...KEY }, session)).status).toBe(403);
  expect((await post(service, "act", { action: "off", limiter: "api/login", for: "1m" }, session)).status).toBe(403);
  const secret = { limiter: "api/key", key: "secret-2" };
  const answer = await post(service, "key?keys=shown", secret, session);
  expect(await answer.json()).toMatchObject({ key: expect.stringMatching(/^key-[0-9a-f]{12}$/) });
  expect(service.audited()).toEqual([]);
});

it("shows the mistakes of files that are refused", async () => {
  const service = await startOperated();
  const page = await look(service, await openSession(service));
  await service.write("version: 1\ndomains: { api: { limits: { client: { rate: many } } } }\n");
  service.reload();
  const { file } = await findSoon(service, page, (snapshot) => snapshot.file?.state === "kept");
  expect(file?.mistakes.join()).toContain("limits.yaml:2:");
  expect(page.snapshots.flatMap(({ events }) => events)).toMatchObject([{ text: expect.stringContaining("limits") }]);
});

it.each([
  [{ action: "reset", limiter: "api/none", key: ADDRESS }, 404],
  [{ action: "reset", limiter: "none", key: ADDRESS }, 404],
  [{ action: "off", limiter: "api/login", for: "1ms" }, 400],
  [{ action: "block", ...KEY, for: "soon" }, 400],
])("refuses what the admin API refuses: %j", async (body, status) => {
  const service = await startOperated();
  const answer = await post(service, "act", body, await openSession(service));
  expect([answer.status, await answer.json()]).toEqual([status, { error: expect.any(String) }]);
});

it("takes no change from another page, nor from a form", async () => {
  const service = await startOperated();
  const session = await openSession(service);
  const change = { action: "reset", ...KEY };
  expect((await post(service, "act", change, { ...session, "sec-fetch-site": "cross-site" })).status).toBe(403);
  expect((await post(service, "act", change, { ...session, "sec-fetch-site": "same-site" })).status).toBe(403);
  expect((await post(service, "act", change, { ...session, "content-type": "text/plain" })).status).toBe(415);
  expect(service.audited()).toEqual([]);
});

it("answers floods of wrong tokens with 429, and right ones all the while", async () => {
  const service = await startOperated();
  const statuses: number[] = [];
  while (statuses.length < 40) statuses.push((await post(service, "session", { token: "wrong" })).status);
  expect(statuses.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => 401));
  expect(new Set(statuses.slice(10))).toEqual(new Set([429]));
  await openSession(service);
  expect(service.log.length + service.errors.length).toBeLessThan(30);
});

it("ends sessions after 12 hours, and the oldest of a token that opens more than 16", async () => {
  const service = await startOperated();
  const first = await openSession(service);
  const explain = async (session: { readonly cookie: string }) => (await post(service, "key", KEY, session)).status;
  expect(await explain(first)).toBe(200);
  for (let count = 0; count < 16; count += 1) await openSession(service);
  expect(await explain(first)).toBe(401);
  const last = await openSession(service);
  service.clock.advance(12 * 3_600_000 - 1);
  expect(await explain(last)).toBe(200);
  service.clock.advance(1);
  expect(await explain(last)).toBe(401);
});

it("finds its session beside cookies that other services of the host have set", async () => {
  const service = await startOperated();
  const { cookie } = await openSession(service);
  const [name] = cookie.split("=");
  const planted = `${name}=planted; session=7; ${name}=`;
  expect((await post(service, "key", KEY, { cookie: `${planted}; ${cookie}` })).status).toBe(200);
  expect((await post(service, "key", KEY, { cookie: planted })).status).toBe(401);
});

it("answers only to its own hosts", async () => {
  const { adminUrl } = await startOperated();
  const connection = await openConnection(adminUrl);
  connection.send("GET / HTTP/1.1\r\nHost: attacker.example\r\nConnection: close\r\n\r\n");
  await connection.closed;
  expect(connection.received).toMatch(/^HTTP\/1.1 403 /);
});

it("is not there without tokens", async () => {
  const { adminUrl } = await startWithAdmin();
  expect((await fetch(`${adminUrl}/`)).status).toBe(404);
  expect((await fetch(`${adminUrl}/session`, { method: "POST", headers: OWN, body: "{}" })).status).toBe(404);
});
