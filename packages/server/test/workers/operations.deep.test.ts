import { describe, expect, it, vi } from "vitest";
import { parse } from "yaml";
import { call } from "../support/call.ts";
import { JSON_BODY } from "../support/json-body.ts";
import { type OperatedWorkers, startOperatedWorkers } from "./operate-workers.ts";
import { childrenOf } from "./processes.ts";

const PATIENT = { timeout: 30_000, interval: 50 };
const ANN = { ip: "192.0.2.1" };

/** A rule without limits that bind: answers tell which version of the limits a worker has. */
const limits = (quota: number): string =>
  `version: 1\ndomains:\n  api:\n    limits:\n      client: { by: ip, quota: ${quota}/1d }\n`;

const ALL = { changed: [1, 2], silent: [] };

/** The limits that the workers have, each asked twice. */
async function limitsOf({ decide }: OperatedWorkers, times = 6): Promise<ReadonlySet<unknown>> {
  const answers = await decide({ ip: `198.51.100.${Math.ceil(Math.random() * 250)}` }, times);
  // The first request of a client leaves one less than the quota.
  return new Set(answers.map((answer, i) => Number(answer["remaining"]) + i + 1));
}

describe("operators of several workers", () => {
  it("put limits in force in all of them, with one line of the audit log", async () => {
    const service = await startOperatedWorkers(limits(100));
    const { operate, audited, metrics } = service;
    const first = await operate("GET", "/v1/limits");
    expect(first.body).toEqual(parse(limits(100)));
    const put = await operate("PUT", "/v1/limits", limits(200), { "if-match": first.etag });
    expect(put).toMatchObject({ status: 200, body: { source: "operator", workers: ALL } });
    expect(await limitsOf(service)).toEqual(new Set([200]));
    const { version } = put.body;
    expect((await operate("GET", "/rlconfig")).body).toMatchObject({ version, source: "operator" });
    expect((await operate("GET", "/healthz")).body).toMatchObject({
      workers: { ready: 2, of: 2 },
      limits: { state: "loaded", version, source: "operator", overrides: 0 },
    });
    const lines = await metrics();
    expect(lines).toContain("tollgate_limits_from_operator 1");
    expect(lines).toContain('tollgate_limits_reads_total{result="loaded"} 1');
    const back = await operate("DELETE", "/v1/limits", undefined, { "if-match": put.etag });
    expect(back).toMatchObject({ status: 200, body: { source: "files", workers: ALL } });
    expect(await limitsOf(service)).toEqual(new Set([100]));
    expect(audited().map(({ who, action }) => [who, action])).toEqual([
      ["ann", "limits.put"],
      ["ann", "limits.return"],
    ]);
  });

  it("change a version of the limits once, and no worker if there is a mistake", async () => {
    const service = await startOperatedWorkers(limits(100));
    const { operate } = service;
    const { etag } = await operate("GET", "/v1/limits");
    const puts = [200, 300, 400].map((quota) => operate("PUT", "/v1/limits", limits(quota), { "if-match": etag }));
    const answers = await Promise.all(puts);
    expect(answers.map(({ status }) => Number(status)).sort((a, b) => a - b)).toEqual([200, 412, 412]);
    const wrong = await operate("PUT", "/v1/limits", limits(-1), { "if-match": "*" });
    expect(wrong.status).toBe(422);
    const won = [200, 300, 400][answers.findIndex(({ status }) => status === 200)];
    expect(await limitsOf(service)).toEqual(new Set([won]));
  });

  it("are obeyed by a worker that starts after the change", async () => {
    const service = await startOperatedWorkers(limits(100));
    const { command, operate } = service;
    await operate("PUT", "/v1/limits", limits(200), { "if-match": "*" });
    await operate("POST", "/v1/rules/client/on", { domain: "api", for: "10m" });
    for (const [i, victim] of childrenOf(command).entries()) {
      process.kill(victim, "SIGKILL");
      await vi.waitFor(() => expect(command.stdout.match(/"worker-started"/g)).toHaveLength(i + 1), PATIENT);
    }
    expect(await limitsOf(service, 4)).toEqual(new Set([200]));
    expect((await operate("GET", "/healthz")).body).toMatchObject({ limits: { source: "operator", overrides: 1 } });
    const other = await operate("PUT", "/v1/limits", limits(300), { "if-match": "*" });
    expect(other.body).toMatchObject({ workers: { changed: [1, 2], silent: [] } });
    expect(await limitsOf(service, 4)).toEqual(new Set([300]));
  });

  it("are told which worker does not answer, and it follows when it does", async () => {
    const service = await startOperatedWorkers(limits(100));
    const { command, operate } = service;
    const [, frozen = 0] = childrenOf(command);
    process.kill(frozen, "SIGSTOP");
    const put = await operate("PUT", "/v1/limits", limits(200), { "if-match": "*" });
    expect(put).toMatchObject({ status: 202, body: { source: "operator", workers: { changed: [1], silent: [2] } } });
    const reset = await operate("POST", "/v1/keys/reset", { domain: "api", rule: "client", key: "192.0.2.1" });
    expect(reset).toMatchObject({ status: 202, body: { workers: { changed: [1], silent: [2] } } });
    process.kill(frozen, "SIGCONT");
    const next = await operate("POST", "/v1/rules/client/on", { domain: "api", for: "10m" });
    expect(next).toMatchObject({ status: 200, body: { workers: ALL } });
    expect(await limitsOf(service)).toEqual(new Set([200]));
    expect(command.stdout).toContain('"workers-silent"');
  });

  it("change long limits, and a worker that dies meanwhile is followed by one that has them", async () => {
    const service = await startOperatedWorkers(limits(100));
    const { command, operate } = service;
    const rule = (i: number): string => `      r${i}: { match: { path: /v1/${i} }, by: ip, rate: 9/1m }\n`;
    const long = limits(200) + Array.from({ length: 1_000 }, (_, i) => rule(i)).join("");
    const [, victim = 0] = childrenOf(command);
    process.kill(victim, "SIGSTOP");
    const put = operate("PUT", "/v1/limits", long, { "if-match": "*" });
    await vi.waitFor(() => expect(command.stdout).toContain('"limits.put"'), PATIENT);
    process.kill(victim, "SIGKILL");
    expect(await put).toMatchObject({ status: 200, body: { workers: { changed: [1], silent: [] } } });
    await vi.waitFor(() => expect(command.stdout).toContain('"worker-started"'), PATIENT);
    expect(await limitsOf(service)).toEqual(new Set([200]));
    expect((await operate("GET", "/v1/limits")).body).toEqual(parse(long));
  });

  it("turn a rule off in all of them, for a time", async () => {
    const { operate, decide, audited, metrics } = await startOperatedWorkers(limits(2));
    const allowed = async () => (await decide(ANN, 6)).map((answer) => answer["allowed"]);
    expect(await allowed()).toEqual([true, true, false, false, false, false]);
    const off = await operate("POST", "/v1/rules/client/off", { domain: "api", for: "2s" });
    expect(off).toMatchObject({ status: 200, body: { rule: "client", mode: "off", by: "ann", workers: ALL } });
    expect(await allowed()).toEqual([true, true, true, true, true, true]);
    expect(await metrics()).toContain('tollgate_rule_override{domain="api",rule="client",mode="off"} 1');
    await vi.waitFor(async () => expect(await allowed()).toEqual(Array.from({ length: 6 }, () => false)), PATIENT);
    expect(audited().map(({ who, action }) => [who, action])).toEqual([
      ["ann", "rule.off"],
      ["clock", "rule.restore"],
    ]);
  });

  it("explain, block, unblock and reset a key, and no worker remembers what was before", async () => {
    const { operate, decide, audited } = await startOperatedWorkers(limits(4));
    const key = { domain: "api", rule: "client", key: "192.0.2.1" };
    const allowed = async (times: number) => (await decide(ANN, times)).map((answer) => answer["allowed"]);
    expect(await allowed(1)).toEqual([true]);
    const block = await operate("POST", "/v1/keys/block", { ...key, for: "10m" });
    expect(block).toMatchObject({ status: 200, body: { workers: ALL } });
    const explained = (await operate("POST", "/v1/keys/explain", key)).body;
    expect(explained).toMatchObject({
      limits: [{ name: "client.quota", used: 1, remaining: 3 }],
    });
    const [told, later] = [block.body, explained].map((body) => Date.parse(String(body["blockedUntil"])));
    // Blocks are kept by the clock of Redis.
    expect(Math.abs(Number(told) - Number(later))).toBeLessThan(1_000);
    expect(await allowed(6)).toEqual([false, false, false, false, false, false]);
    const unblock = await operate("POST", "/v1/keys/unblock", key);
    expect(unblock).toMatchObject({ status: 200, body: { wasBlocked: true, workers: ALL } });
    expect(await allowed(6)).toEqual([true, true, true, false, false, false]);
    const reset = await operate("POST", "/v1/keys/reset", key);
    expect(reset).toMatchObject({ status: 200, body: { workers: ALL } });
    expect(await allowed(6)).toEqual([true, true, true, true, false, false]);
    const wrong = await operate("POST", "/v1/keys/reset", { ...key, key: ["a", "b"] });
    expect(wrong).toMatchObject({ status: 400, body: { code: "ERR_KEY" } });
    expect(audited().map(({ action }) => action)).toEqual(["key.block", "key.unblock", "key.reset"]);
  });

  it("see which keys are called most in all of them", async () => {
    const { operate, decide } = await startOperatedWorkers(limits(1));
    // One call in 32 is counted, at random.
    await decide(ANN, 900);
    const key = { rule: "client", key: "192.0.2.1", count: expect.any(Number), error: 0 };
    expect((await operate("GET", "/v1/keys/hot?domain=api")).body).toEqual({ active: [key], denied: [key] });
    // Redis would have to look at all keys.
    expect((await operate("GET", "/v1/keys/blocked?domain=api")).status).toBe(501);
  });

  it("see in a dry run the requests of all of them", async () => {
    const byKey = (rate: string): string =>
      `version: 1\ndomains: { api: { limits: { key: { by: header.x-api-key, quota: ${rate}/1d } } } }\n`;
    const { operate, decide, url } = await startOperatedWorkers(byKey("5000"));
    await decide({ header: { "x-api-key": "sk-1" } }, 12);
    const dry = (rate: string) => operate("PUT", "/v1/limits?dryRun=true", byKey(rate));
    // The key has one hash in all workers.
    expect((await dry("9")).body).toMatchObject({
      requests: 12,
      isComplete: true,
      before: { denied: 0 },
      after: { denied: 3 },
    });
    // More than a page of each worker.
    const one = { domain: "api", facts: { header: { "x-api-key": "sk-2" } } };
    const body = JSON.stringify({ requests: Array.from({ length: 100 }, () => one) });
    for (let i = 0; i < 12; i += 1) await call(`${url}/v1/decide`, { method: "POST", headers: JSON_BODY, body });
    expect((await dry("1000")).body).toMatchObject({ requests: 1_212, isComplete: true, after: { denied: 200 } });
  });
});

describe("operators of several workers over files of Envoy's service", () => {
  it("see what one of them has loaded, and change nothing", async () => {
    const envoy = "domain: api\ndescriptors:\n  - key: user\n    rate_limit: { unit: day, requests_per_unit: 7 }\n";
    const { adminUrl, command } = await startOperatedWorkers(envoy);
    const headers = { authorization: "Bearer writer-0123456789" };
    const configuration = await call(`${adminUrl}/rlconfig`, { headers });
    expect(configuration).toMatchObject({
      status: 200,
      body: "api.user: unit=DAY requests_per_unit=7, shadow_mode: false\n",
    });
    expect((await call(`${adminUrl}/v1/limits`, { headers })).status).toBe(404);
    expect((await call(`${adminUrl}/metrics`, { headers })).body).toContain("tollgate_limits_kept 0");
    command.kill("SIGHUP");
    await vi.waitFor(() => expect(command.stdout.match(/"limits-loaded"/g)).toHaveLength(2), PATIENT);
  });
});
