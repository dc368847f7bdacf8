import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { afterEach, describe, expect, it } from "vitest";
import { ofFile } from "../../packages/tollgate/test/of-file.ts";
import { startRedis } from "../../packages/tollgate/test/stores/redis/servers/start-redis.ts";
import { runNode } from "../support/run.ts";
import { AppProcess } from "./app-process.ts";
import { REPOSITORY } from "./code-blocks.ts";
import { Upstream } from "./upstreams.ts";
import { compileProjects, createUserProject } from "./user-project.ts";

const EXAMPLES = readdirSync(join(REPOSITORY, "examples")).filter((name) => !name.includes("."));

const [root, redis] = await Promise.all([createUserProject(), ofFile(startRedis())]);
const redisUrl = `redis://127.0.0.1:${redis.port}`;
for (const name of EXAMPLES) cpSync(join(REPOSITORY, "examples", name), join(root, name), { recursive: true });

const open: { stop(): unknown }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((opened) => opened.stop()));
});

async function start(name: string, entry: string, env: NodeJS.ProcessEnv = {}): Promise<AppProcess> {
  const app = await AppProcess.start(join(root, name), entry, env);
  open.push(app);
  return app;
}

async function startUpstream(handle: Parameters<typeof Upstream.start>[0]): Promise<string> {
  const upstream = await Upstream.start(handle);
  open.push(upstream);
  return upstream.url;
}

async function statusesOf(count: number, ask: () => Promise<Response>): Promise<number[]> {
  const statuses: number[] = [];
  for (let i = 0; i < count; i += 1) statuses.push((await ask()).status);
  return statuses;
}

it("every example compiles strictly", async () => {
  expect(await compileProjects(EXAMPLES.map((name) => join(root, name)))).toEqual({
    status: 0,
    stdout: "",
    stderr: "",
  });
});

describe("examples/express-login", () => {
  const login = (url: string, password: string, forwarded = "203.0.113.1") =>
    fetch(`${url}/login`, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Forwarded-For": forwarded },
      body: JSON.stringify({ account: "Ann@example.com ", password }),
    });

  it("counts failed logins by address, and lets successful ones through", async () => {
    const { url } = await start("express-login", "server", { PROXIES: "1" });
    const passwords = [...Array(5).fill("correct horse battery staple"), "a", "b", "c", "d"];
    const statuses: number[] = [];
    for (const password of passwords) statuses.push((await login(url, password)).status);
    expect(statuses).toEqual([204, 204, 204, 204, 204, 401, 401, 401, 429]);
    const denied = await login(url, "correct horse battery staple");
    expect([denied.status, denied.headers.get("retry-after")]).toEqual([
      429,
      expect.stringMatching(/^(900|8[5-9]\d)$/),
    ]);
    expect((await login(url, "correct horse battery staple", "203.0.113.2")).status).toBe(204);
  });

  it("checks three passwords of a client that hangs up twenty times", async () => {
    const app = await start("express-login", "server");
    const checks = () => app.lines.filter((line) => line.includes("checking the password of ann@example.com"));
    for (let attempt = 1; attempt <= 20; attempt += 1) await sendAndHangUp(app.url, () => checks().length >= attempt);
    expect((await login(app.url, "correct horse battery staple")).status).toBe(429);
    expect(checks()).toHaveLength(3);
  });

  it("limits the public API, and not the health check", async () => {
    const { url } = await start("express-login", "server");
    const first = await fetch(`${url}/api/quote`);
    expect(first.headers.get("ratelimit-policy")).toBe('"10-per-1s";q=10;w=1, "60-per-1m-burst-30";q=30;w=30');
    expect(first.headers.get("access-control-expose-headers")).toContain("Retry-After");
    const answers = await Promise.all(Array.from({ length: 60 }, () => fetch(`${url}/api/quote`)));
    const passed = answers.filter(({ status }) => status === 200);
    expect(passed.length).toBeGreaterThan(8);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(60 - passed.length);
    expect(new Set(await statusesOf(40, () => fetch(`${url}/health`)))).toEqual(new Set([200]));
  });
});

/** Sends a login with a wrong password and resets the connection: when it is checked, or when it was answered. */
async function sendAndHangUp(url: string, isChecked: () => boolean): Promise<void> {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  socket.resume();
  const body = '{"account":"ann@example.com","password":"guess"}';
  const head = `POST /login HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`;
  socket.write(`${head}\r\n\r\n${body}`);
  while (!isChecked() && socket.bytesRead === 0) await new Promise((resolve) => setTimeout(resolve, 2));
  socket.resetAndDestroy();
}

describe("examples/fastify-plans", () => {
  const report =
    (url: string, apiKey = "key-of-ann") =>
    () =>
      fetch(`${url}/report`, { headers: { "X-API-Key": apiKey } });

  it("takes the limits from the account's plan, and a new plan from the database", async () => {
    const { url } = await start("fastify-plans", "server", { CACHE_MS: "0" });
    expect(await (await report(url)()).json()).toEqual({ account: "ann", left: 2 });
    expect(await statusesOf(3, report(url))).toEqual([200, 200, 429]);

    const file = join(root, "fastify-plans/accounts.json");
    writeFileSync(file, readFileSync(file, "utf8").replace('"free"', '"pro"'));
    const upgraded = await report(url)();
    expect(upgraded.headers.get("ratelimit-policy")).toBe('"second";q=20;w=1, "minute";q=600;w=60');
    writeFileSync(file, readFileSync(file, "utf8").replace('"pro"', '"free"'));
    expect((await report(url)()).status).toBe(429);
  });

  it("stops looking unknown keys up", async () => {
    const { url } = await start("fastify-plans", "server");
    expect(await statusesOf(6, report(url, "guess"))).toEqual([401, 401, 401, 401, 401, 429]);
    expect((await report(url)()).headers.get("retry-after")).toMatch(/^1?\d$/);
    expect((await fetch(`${url}/health`)).status).toBe(200);
  });

  it("shares the limits of processes in Redis, and halves them while Redis is away", async () => {
    const ownRedis = await startRedis();
    open.push(ownRedis);
    const env = { REDIS_URL: `redis://127.0.0.1:${ownRedis.port}` };
    const [one, two] = await Promise.all([
      start("fastify-plans", "server", env),
      start("fastify-plans", "server", env),
    ]);
    const statuses = await Promise.all([one, two, one, two, one].map(({ url }) => report(url)()));
    expect(statuses.filter(({ status }) => status === 200)).toHaveLength(3);
    expect((await report(one.url)()).status).toBe(429);

    await ownRedis.kill();
    expect(await statusesOf(2, report(one.url, "key-of-cat"))).toEqual([200, 429]);
    // This process remembers that Redis denied it.
    expect((await report(one.url)()).status).toBe(429);
  });
});

describe("examples/mcp-server", () => {
  it("limits the calls of each user and tool, and reports at once", async () => {
    const { url } = await start("mcp-server", "server");
    const call = async (user: string, name: string) => {
      const answer = await fetch(url, {
        method: "POST",
        headers: {
          Authorization: `Bearer ${user}'s token`,
          "Content-Type": "application/json",
          Accept: "application/json, text/event-stream",
        },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: {} } }),
      });
      return [answer.status, (await answer.text()).includes("Try again in")] as const;
    };
    expect(await call("eve", "today")).toEqual([401, false]);
    for (let i = 0; i < 3; i += 1) expect(await call("ann", "today")).toEqual([200, false]);
    expect(await call("ann", "today")).toEqual([200, true]);
    expect(await call("bob", "today")).toEqual([200, false]);
    const reports = await Promise.all([call("bob", "report"), call("bob", "report")]);
    expect(reports.filter(([, denied]) => denied)).toHaveLength(1);
    expect(await call("bob", "report")).toEqual([200, false]);
  });
});

describe("examples/nestjs", () => {
  it("limits all routes by the module, logins by their failures, and reports by what runs at once", async () => {
    const { url } = await start("nestjs", "server", { PROXIES: "1" });
    const ask = (path: string, client: string, password?: string) =>
      fetch(`${url}/${path}`, {
        headers: { "Content-Type": "application/json", "X-Forwarded-For": client },
        ...(password !== undefined && { method: "POST", body: JSON.stringify({ password }) }),
      });
    const passwords = ["correct horse battery staple", "a", "b", "c", "d"];
    const statuses: number[] = [];
    for (const password of passwords) statuses.push((await ask("login", "203.0.113.1", password)).status);
    expect(statuses).toEqual([204, 401, 401, 401, 429]);
    const reports = await Promise.all([ask("report", "203.0.113.1"), ask("report", "203.0.113.1")]);
    expect(new Set(reports.map(({ status }) => status))).toEqual(new Set([200, 429]));
    expect((await ask("report", "203.0.113.1")).status).toBe(200);
    const quotes = await Promise.all(Array.from({ length: 40 }, () => ask("quote", "203.0.113.2")));
    expect(quotes.filter(({ status }) => status === 429).length).toBeGreaterThan(0);
    expect((await ask("health", "203.0.113.2")).headers.get("ratelimit")).toBe(null);
  });
});

describe("examples/limits-file", () => {
  it("limits logins by the file, and reads it again on SIGHUP", async () => {
    const app = await start("limits-file", "server", { PROXIES: "1" });
    const login = (client: string) => () =>
      fetch(`${app.url}/x/../%6Cogin/`, { method: "POST", headers: { "X-Forwarded-For": client } });
    expect(await statusesOf(6, login("203.0.113.1"))).toEqual([200, 200, 200, 200, 200, 429]);
    const denied = await login("203.0.113.1")();
    expect([denied.status, await denied.text()]).toEqual([429, "denied by api/login\n"]);
    expect(Number(denied.headers.get("retry-after"))).toBeGreaterThan(500);

    const file = join(root, "limits-file/limits.yaml");
    const text = readFileSync(file, "utf8");
    writeFileSync(file, text.replace("within: 5/15m", "within: 7/15mm"));
    expect(await app.signal("SIGHUP")).toMatch(
      /^limits\.yaml:10:17: domains\.api\.limits\.login\.within: expected a count/,
    );
    writeFileSync(file, text.replace("within: 5/15m", "within: 7/15m"));
    await statusesOf(3, login("203.0.113.2"));
    expect(await app.signal("SIGHUP")).toBe("limits.yaml is loaded");
    expect(await statusesOf(5, login("203.0.113.2"))).toEqual([200, 200, 200, 200, 429]);
  });
});

describe("examples/worker-threads", () => {
  it("gives a client exactly its frames, whichever threads render them", async () => {
    const { url } = await start("worker-threads", "server", { THREADS: "4" });
    const render = async (client: string) => {
      const headers = { "X-API-Key": client };
      const answer = await fetch(`${url}/render?frames=100`, { method: "POST", headers });
      return { status: answer.status, rendered: ((await answer.json()) as { rendered: number }).rendered };
    };
    const answers = await Promise.all(Array.from({ length: 8 }, () => render("ann")));
    // Twelve seconds bring back a frame.
    const rendered = answers.reduce((sum, answer) => sum + answer.rendered, 0);
    expect([300, 301]).toContain(rendered);
    expect(answers.filter(({ status }) => status === 429).length).toBeGreaterThan(2);
    expect(await render("bob")).toEqual({ status: 200, rendered: 100 });
  });
});

describe("examples/bullmq-worker", () => {
  it("sends every mail once, and never more than the upstream takes", async () => {
    const sent: { subject: string; atMs: number }[] = [];
    const upstream = await startUpstream(async (request, response) => {
      const { subject } = (await json(request)) as { subject: string };
      sent.push({ subject, atMs: performance.now() });
      response.end();
    });
    const env = { REDIS_URL: redisUrl, UPSTREAM_URL: upstream, MAILS_PER_SECOND: "4" };
    await Promise.all([start("bullmq-worker", "worker", env), start("bullmq-worker", "worker", env)]);
    const { stdout } = await runNode(join(root, "bullmq-worker"), ["dist/enqueue.js", "12"], {
      ...process.env,
      ...env,
    });
    expect(stdout).toBe("12 mails in the queue\n");

    await expect.poll(() => sent.length, { timeout: 60_000 }).toBe(12);
    expect(new Set(sent.map(({ subject }) => subject)).size).toBe(12);
    // Each second brings four more. A first mail that is late makes the others seem early.
    const firstMs = sent[0]?.atMs ?? 0;
    const early = sent.filter(({ atMs }, index) => atMs - firstMs < Math.floor(index / 4) * 1_000 - 900);
    expect(early).toEqual([]);
  });
});
