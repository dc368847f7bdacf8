import { createHash } from "node:crypto";
import { Agent } from "node:http";
import { manualClock } from "tollgate/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { call, statuses } from "../support/call.ts";
import { openConnection } from "../support/connection.ts";
import { type ParsedFamily, type ParsedSample, parseExposition } from "../support/strict-exposition.ts";
import { startWithAdmin } from "../support/test-admin.ts";

async function scrape(adminUrl: string): Promise<ParsedFamily[]> {
  const { status, headers, body } = await call(`${adminUrl}/metrics`);
  expect({ status, type: headers["content-type"] }).toEqual({
    status: 200,
    type: "text/plain; version=0.0.4; charset=utf-8",
  });
  return parseExposition(body);
}

function samplesOf(families: readonly ParsedFamily[], name: string): readonly ParsedSample[] {
  return families.flatMap(({ samples }) => samples).filter((sample) => sample.name === name);
}

function numberOf(
  families: readonly ParsedFamily[],
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number {
  const [sample] = samplesOf(families, name).filter((one) =>
    Object.entries(labels).every(([label, value]) => one.labels[label] === value),
  );
  return sample?.value ?? Number.NaN;
}

describe("the metrics of the service", () => {
  it("are accepted by a strict parser, and count each call of each limiter", async () => {
    const { url, adminUrl } = await startWithAdmin({ capacity: 2, clock: manualClock() });
    await statuses(5, `${url}/ping`);
    await statuses(4, `${url}/test`);
    const families = await scrape(adminUrl);
    const counts = samplesOf(families, "rate_limit_acquire_total").map(({ labels, value }) => [
      labels["limiter"],
      labels["result"],
      value,
    ]);
    expect(counts).toEqual([
      ["client", "allow", 2],
      ["client", "deny", 3],
      ["test", "allow", 3],
      ["test", "deny", 1],
    ]);
  });

  it("count requests by status, their time and connections", async () => {
    const { url, adminUrl } = await startWithAdmin({ capacity: 2, clock: manualClock() });
    const agent = new Agent({ keepAlive: true });
    onTestFinished(() => agent.destroy());
    await statuses(3, `${url}/ping`, { agent });
    await statuses(1, `${url}/nowhere`, { agent });
    const gone = await openConnection(url);
    gone.socket.destroy();
    const families = await scrape(adminUrl);
    for (const [code, count] of [
      ["200", 2],
      ["429", 1],
      ["404", 1],
    ] as const) {
      expect(numberOf(families, "tollgate_http_requests_total", { code })).toBe(count);
    }
    expect(numberOf(families, "tollgate_http_request_duration_seconds_count")).toBe(4);
    expect(numberOf(families, "tollgate_http_request_duration_seconds_sum")).toBeGreaterThan(0);
    await expect.poll(async () => numberOf(await scrape(adminUrl), "tollgate_http_connections")).toBe(1);
  });

  it("count connections that were refused", async () => {
    const { url, adminUrl } = await startWithAdmin({ maxConnections: 1 });
    await openConnection(url);
    const refused = await openConnection(url);
    await refused.closed;
    const families = await scrape(adminUrl);
    expect(numberOf(families, "tollgate_http_refused_connections_total")).toBe(1);
    expect(numberOf(families, "tollgate_http_connections")).toBe(1);
  });

  it("name the clients that are denied most, API keys by a hash", async () => {
    const key = "sk-live-0123456789";
    const { url, adminUrl } = await startWithAdmin({ capacity: 1, clock: manualClock() });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    // The clients that are denied most are found by a sample of 1 in 32 calls.
    const name = `key-${createHash("sha256").update(key).digest("hex").slice(0, 12)}`;
    let clients: unknown[] = [];
    while (!(clients.includes(name) && clients.includes("127.0.0.1"))) {
      await statuses(50, `${url}/ping`, { agent });
      await statuses(50, `${url}/ping`, { agent, headers: { "X-API-Key": key } });
      clients = samplesOf(await scrape(adminUrl), "rate_limit_tokens").map(({ labels }) => labels["key"]);
    }
    expect(new Set(clients)).toEqual(new Set(["127.0.0.1", name]));
    expect((await call(`${adminUrl}/metrics`)).body).not.toContain(key);
  });
});
