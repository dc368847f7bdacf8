import { expect, it, vi } from "vitest";
import { openConnection } from "../support/connection.ts";
import { startOperatedWorkers } from "./operate-workers.ts";
import { childrenOf } from "./processes.ts";

const PATIENT = { timeout: 30_000, interval: 50 };
const ANN = { ip: "192.0.2.1" };

const limits = (quota: number): string =>
  `version: 1\ndomains:\n  api:\n    limits:\n      client: { by: ip, quota: ${quota}/1d }\n`;

const allowed = (answers: readonly Readonly<Record<string, unknown>>[]) =>
  answers.filter((answer) => answer["allowed"] === true).length;

it("workers without Redis count in the memory of the primary, which outlives them, and /metrics shows it", async () => {
  const { command, decide, metrics } = await startOperatedWorkers(limits(20), "memory");
  expect(allowed(await decide(ANN, 30))).toBe(20);
  expect(await metrics()).toEqual(
    expect.arrayContaining([
      'rate_limit_acquire_total{limiter="api/client",limit="client.quota",result="allow"} 20',
      'rate_limit_keys{store="memory"} 1',
      'rate_limit_breaker_state{store="cluster"} 0',
    ]),
  );
  for (const [i, victim] of childrenOf(command).entries()) {
    process.kill(victim, "SIGKILL");
    await vi.waitFor(() => expect(command.stdout.match(/"worker-started"/g)).toHaveLength(i + 1), PATIENT);
  }
  expect(allowed(await decide(ANN, 6))).toBe(0);
  expect(allowed(await decide({ ip: "192.0.2.2" }, 6))).toBe(6);
});

it("operators block keys and turn rules off in all workers without Redis, list blocked keys and see hot ones", async () => {
  const { operate, decide } = await startOperatedWorkers(limits(4), "memory");
  const key = { domain: "api", rule: "client", key: ANN.ip };
  expect((await operate("POST", "/v1/keys/block", { ...key, for: "1h" })).status).toBe(200);
  expect(allowed(await decide(ANN, 6))).toBe(0);
  const listed = await operate("GET", "/v1/keys/blocked?domain=api");
  expect(listed).toMatchObject({ status: 200 });
  expect(JSON.stringify(listed.body)).toContain(ANN.ip);
  expect((await operate("POST", "/v1/keys/unblock", key)).status).toBe(200);
  expect(allowed(await decide(ANN, 6))).toBe(4);
  expect((await operate("POST", "/v1/keys/reset", key)).status).toBe(200);
  expect(allowed(await decide(ANN, 6))).toBe(4);
  // One call in 32 is counted, at random.
  await decide(ANN, 400);
  expect((await operate("GET", "/v1/keys/hot?domain=api")).body).toMatchObject({ active: [{ key: ANN.ip }] });
  expect((await operate("POST", "/v1/rules/client/off", { domain: "api", for: "1h" })).status).toBe(200);
  expect(allowed(await decide(ANN, 6))).toBe(6);
});

it("workers answer 503 to what they cannot settle while the primary is stopped, and settle it later", async () => {
  const { command, url } = await startOperatedWorkers(limits(20), "memory");
  // The primary accepts connections, so this one has to be there before.
  const connection = await openConnection(url);
  const decide = async (fields: object) => {
    const body = JSON.stringify(fields);
    connection.received = "";
    const head = "POST /v1/decide HTTP/1.1\r\nHost: tollgate\r\nContent-Type: application/json\r\n";
    connection.send(`${head}Content-Length: ${body.length}\r\n\r\n${body}`);
    await connection.receives(/\r\n\r\n\{.*\}\s*$/s);
    const [, status, json] = /^HTTP\/1.1 (\d+).*?\r\n\r\n(.*)$/s.exec(connection.received) ?? [];
    return { status: Number(status), ...(JSON.parse(json ?? "") as { readonly reservation?: string }) };
  };
  const { reservation, ...reserved } = await decide({ verb: "reserve", domain: "api", facts: ANN, cost: 3 });
  expect(reserved).toMatchObject({ allowed: true });
  const refund = { verb: "refund", domain: "api", facts: ANN, cost: 1 };
  command.kill("SIGSTOP");
  expect(await decide(refund)).toMatchObject({ status: 503, code: "ERR_STORE", error: expect.stringContaining("may") });
  const refused = { status: 503, code: "ERR_STORE", error: expect.stringMatching(/circuit open$/) };
  expect(await decide({ verb: "cancel", reservation })).toMatchObject(refused);
  command.kill("SIGCONT");
  await vi.waitFor(async () => expect(await decide({ verb: "cancel", reservation })).toEqual({ status: 200 }), PATIENT);
});
