import { describe, expect, it, vi } from "vitest";
import { grpcClient } from "../envoy/grpc-client.ts";
import { call } from "../support/call.ts";
import { runCommand, startServing } from "../support/command-process.ts";
import { openConnection } from "../support/connection.ts";
import { JSON_BODY } from "../support/json-body.ts";
import { limitsFile } from "../support/limits-file.ts";
import { PemFiles } from "../support/pem-files.ts";
import { startRedis } from "../support/redis-process.ts";
import { childrenOf, isAlive } from "./processes.ts";

const PATIENT = { timeout: 30_000, interval: 50 };

const limits = (quota: number): string =>
  `version: 1\ndomains: { api: { limits: { client: { by: descriptor.user, quota: ${quota}/1d } } } }\n`;

/** One call of `/v1/decide`, on a connection of its own. */
const decide = (url: string, request: object) =>
  call(`${url}/v1/decide`, { method: "POST", headers: JSON_BODY, body: JSON.stringify(request) });

/** Asks for one request of a user. */
const ask = (url: string, user = "ann") => decide(url, { domain: "api", facts: { descriptor: { user } } });

async function startWorkers(text = limits(20)) {
  const redis = await startRedis();
  const file = await limitsFile(text);
  // A busy machine may take long. What is decided without Redis is not counted.
  const store = ["--redis", redis.url, "--redis-timeout", "20s"];
  const flags = ["--limits", file.path, ...store, "--workers", "2", "--grpc-port", "0"];
  const { command, url } = await startServing([...flags, "--admin-port", "0"]);
  const [, adminUrl = ""] = /operators on (\S+)/.exec(command.stdout) ?? [];
  const [, grpcPort = ""] = /gRPC on port (\d+)/.exec(command.stdout) ?? [];
  const metric = async (pattern: RegExp) => Number(pattern.exec((await call(`${adminUrl}/metrics`)).body)?.[1]);
  const health = async () => JSON.parse((await call(`${adminUrl}/healthz`)).body) as unknown;
  return { command, url, adminUrl, grpcPort: Number(grpcPort), file, metric, health };
}

const ALLOWED = /^rate_limit_acquire_total\{limiter="api\/client",limit="client.quota",result="allow"\} (\d+)$/m;

describe("tollgate serve --workers", () => {
  it("serves one port and one quota from several processes, which /metrics adds up", async () => {
    const { command, url, grpcPort, metric, health } = await startWorkers();
    expect(childrenOf(command)).toHaveLength(2);
    // Each has a connection of its own, so the processes take turns.
    const answers = await Promise.all(Array.from({ length: 30 }, () => ask(url)));
    expect(answers.filter(({ body }) => JSON.parse(body).allowed === true)).toHaveLength(20);
    expect(await metric(ALLOWED)).toBe(20);
    expect(await metric(/^tollgate_http_requests_total\{code="200"\} (\d+)$/m)).toBe(30);
    expect(await metric(/^tollgate_workers_ready (\d+)$/m)).toBe(2);
    expect(await health()).toMatchObject({ workers: { ready: 2, of: 2 }, limits: { state: "loaded" } });
    const decided = await grpcClient(grpcPort).shouldRateLimit("api", { user: "ann" });
    expect(decided.overallCode).toBe(2);
  });

  it("settles a reservation, whichever process has made it, and after that process has died", async () => {
    const { command, url } = await startWorkers();
    const post = async (request: object) => {
      const { status, body } = await decide(url, request);
      return { status, body: JSON.parse(body) as { readonly reservation?: string; readonly remaining?: number } };
    };
    const facts = { descriptor: { user: "ann" } };
    const reserved: string[] = [];
    for (let i = 0; i < 4; i += 1) {
      reserved.push((await post({ verb: "reserve", domain: "api", facts, cost: 4 })).body.reservation ?? "");
    }
    process.kill(childrenOf(command)[0] ?? 0, "SIGKILL");
    await vi.waitFor(() => expect(command.stderr).toContain("worker-died"), PATIENT);
    for (const reservation of reserved) {
      expect((await post({ verb: "settle", reservation, cost: 1 })).status).toBe(200);
      expect((await post({ verb: "settle", reservation, cost: 1 })).status).toBe(404);
    }
    expect((await post({ verb: "peek", domain: "api", facts, cost: 0 })).body.remaining).toBe(16);
    for (const reservation of ["9.x", "toString.x", "-1.x", "primary.x", "x"]) {
      expect((await post({ verb: "cancel", reservation })).status).toBe(404);
    }
  });

  it("starts a worker again that dies, while the others serve, and counters never go down", async () => {
    const { command, url, metric } = await startWorkers(limits(100));
    await Promise.all(Array.from({ length: 10 }, () => ask(url)));
    expect(await metric(ALLOWED)).toBe(10);
    const [victim = 0] = childrenOf(command);
    process.kill(victim, "SIGKILL");
    await vi.waitFor(() => expect(command.stderr).toContain("worker-died"), PATIENT);
    expect((await ask(url)).status).toBe(200);
    await vi.waitFor(() => expect(command.stdout).toContain("worker-started"), PATIENT);
    expect(childrenOf(command)).toHaveLength(2);
    expect(childrenOf(command)).not.toContain(victim);
    expect(await metric(ALLOWED)).toBe(11);
    expect(await metric(/^tollgate_worker_restarts_total (\d+)$/m)).toBe(1);
  });

  it("waits longer each time before it starts a worker that dies again", async () => {
    const { command } = await startWorkers();
    const [, kept = 0] = childrenOf(command);
    const delays = () => [...command.stderr.matchAll(/worker-died .*restart_in_ms=(\d+)/g)].map(([, ms]) => Number(ms));
    for (const expected of [[100], [100, 200], [100, 200, 400]]) {
      await vi.waitFor(() => expect(childrenOf(command)).toHaveLength(2), PATIENT);
      process.kill(childrenOf(command).find((pid) => pid !== kept) ?? 0, "SIGKILL");
      await vi.waitFor(() => expect(delays()).toEqual(expected), PATIENT);
    }
    await vi.waitFor(() => expect(command.stdout).toContain("worker-started"), PATIENT);
  });

  it("reads the files once for all workers, and says in /healthz whether they were refused", async () => {
    const { command, url, file, health } = await startWorkers(limits(1));
    expect([(await ask(url)).body, (await ask(url)).body].map((body) => JSON.parse(body).allowed)).toEqual([
      true,
      false,
    ]);
    await file.write(limits(5));
    command.kill("SIGHUP");
    await vi.waitFor(() => expect(command.stdout).toContain("limits loaded from"), PATIENT);
    expect(command.stdout.match(/limits loaded from/g)?.length).toBeLessThanOrEqual(2);
    await vi.waitFor(async () => {
      const decided = [await ask(url, "bob"), await ask(url, "bob")].map(({ body }) => JSON.parse(body).allowed);
      expect(decided).toEqual([true, true]);
    }, PATIENT);
    await file.write("version: 2");
    await vi.waitFor(async () => expect(await health()).toMatchObject({ limits: { state: "kept" } }), PATIENT);
    const isKept = async () => (await call(`${url}/healthz`)).body.includes('"state":"kept"');
    await vi.waitFor(async () => expect([await isKept(), await isKept()]).toEqual([true, true]), PATIENT);
    expect(command.stderr.match(/limits of \S+ refused/g)).toHaveLength(1);
  });

  it("reads the certificate again on SIGHUP, in every process", async () => {
    const pems = await PemFiles.make();
    await pems.sign("server");
    const file = await limitsFile(limits(1));
    const tls = ["--tls-cert", pems.path("server.pem"), "--tls-key", pems.path("server.key")];
    const { command } = await startServing(["--limits", file.path, ...tls, "--workers", "2", "--admin-port", "0"]);
    command.kill("SIGHUP");
    // The certificate and its key are each read again, by both workers and by the primary.
    const loaded = () => command.stdout.match(/has loaded the certificate/g);
    await vi.waitFor(() => expect(loaded()).toHaveLength(6), PATIENT);
  });

  it("starts a worker with the limits in force, whatever the files say meanwhile", async () => {
    const { command, url, file, health } = await startWorkers(limits(3));
    await file.write("version: 2");
    await vi.waitFor(async () => expect(await health()).toMatchObject({ limits: { state: "kept" } }), PATIENT);
    for (const [i, victim] of childrenOf(command).entries()) {
      process.kill(victim, "SIGKILL");
      await vi.waitFor(() => expect(command.stdout.match(/worker-started/g)).toHaveLength(i + 1), PATIENT);
    }
    const answers = [await ask(url), await ask(url), await ask(url), await ask(url)];
    expect(answers.map(({ body }) => JSON.parse(body).allowed)).toEqual([true, true, true, false]);
  });

  it("lets requests in flight finish on SIGTERM, and leaves no process", async () => {
    const { command, url } = await startWorkers();
    const workers = childrenOf(command);
    const connection = await openConnection(url);
    const body = JSON.stringify({ domain: "api", facts: { descriptor: { user: "ann" } } });
    const whole = `POST /v1/decide HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
    connection.send(whole + body + whole + body.slice(0, 5));
    await connection.receives(/"remaining":19/);
    command.kill("SIGTERM");
    await vi.waitFor(() => expect(command.stdout).toContain("stopping"), PATIENT);
    connection.send(body.slice(5));
    await connection.receives(/"remaining":18/);
    expect(await command.exited).toBe(0);
    expect(workers.filter(isAlive)).toEqual([]);
    expect(command.stderr).toBe("");
  });

  it("leaves no worker behind when the primary process is killed", async () => {
    const { command } = await startWorkers();
    const workers = childrenOf(command);
    command.kill("SIGKILL");
    await vi.waitFor(() => expect(workers.filter(isAlive)).toEqual([]), PATIENT);
  });

  it("says once what is wrong with the files or the port, and exits", async () => {
    const redis = await startRedis();
    const bad = await limitsFile("version: 1\ndomains: 1");
    const flags = ["--redis", redis.url, "--workers", "2"];
    const wrong = await runCommand(["serve", "--port", "0", "--limits", bad.path, ...flags]);
    expect([wrong.code, wrong.stdout]).toEqual([1, ""]);
    expect(wrong.stderr).toMatch(/^\S+limits\.yaml:2:10: domains: expected .*\n$/);
    const { url } = await startServing();
    const good = await limitsFile(limits(1));
    const port = new URL(url).port;
    const taken = await runCommand(["serve", "--port", port, "--limits", good.path, ...flags]);
    expect([taken.code, taken.stdout]).toEqual([1, ""]);
    expect(taken.stderr).toMatch(
      /^tollgate: --port: expected a free port, got \d+, which is in use on 127\.0\.0\.1\n$/,
    );
  });
});
