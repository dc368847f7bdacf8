import { describe, expect, it } from "vitest";
import { call, statuses } from "../support/call.ts";
import { openConnection, openRequestInFlight } from "../support/connection.ts";
import { LOCAL_ADMIN, startWithAdmin } from "../support/test-admin.ts";
import { startTestService } from "../support/test-service.ts";

describe("the admin listener", () => {
  it("is closed unless asked for", async () => {
    const { url, adminUrl } = await startTestService();
    expect(adminUrl).toBeUndefined();
    expect(await statuses(1, `${url}/metrics`)).toEqual([404]);
  });

  it("answers on a port of its own, which clients do not reach", async () => {
    const { url, adminUrl } = await startWithAdmin();
    expect(adminUrl).not.toBe(url);
    expect(await call(`${adminUrl}/healthz`)).toMatchObject({ status: 200, body: '{"status":"ok"}' });
    expect(await call(`${adminUrl}/readyz`)).toMatchObject({ status: 200, body: '{"status":"ready"}' });
    expect(await statuses(1, `${adminUrl}/metrics`)).toEqual([200]);
    expect(await statuses(1, `${adminUrl}/ping`)).toEqual([404]);
    for (const path of ["/metrics", "/readyz"]) expect(await statuses(1, url + path)).toEqual([404]);
  });

  it("is not ready from the moment when the service stops, and answers until the last request is finished", async () => {
    const service = await startWithAdmin({ graceMs: 600_000 });
    const connection = await openRequestInFlight(service.url);
    const closed = service.close();
    expect(await call(`${service.adminUrl}/readyz`)).toMatchObject({ status: 503, body: '{"status":"stopping"}' });
    expect(await statuses(1, `${service.adminUrl}/healthz`)).toEqual([200]);
    connection.send("\r\n");
    await closed;
    await expect(call(`${service.adminUrl}/readyz`)).rejects.toThrow("ECONNREFUSED");
  });

  it("takes no port from a service that cannot open its own", async () => {
    const first = await startTestService();
    const adminPort = Number(new URL((await startWithAdmin()).adminUrl).port);
    const port = Number(new URL(first.url).port);
    await expect(startTestService({ port, admin: LOCAL_ADMIN })).rejects.toThrow("--port: expected a free port");
    const admin = { ...LOCAL_ADMIN, port: adminPort };
    await expect(startTestService({ admin })).rejects.toThrow(`--admin-port: expected a free port, got ${adminPort}`);
  });

  it.each(["POST", "PUT", "DELETE", "OPTIONS"])("answers %s with 405", async (method) => {
    const { adminUrl } = await startWithAdmin();
    expect(await call(`${adminUrl}/metrics`, { method })).toMatchObject({
      status: 405,
      headers: { allow: "GET, HEAD" },
    });
  });
});

describe("a request to the admin listener", () => {
  it.each([
    "localhost",
    "LOCALHOST:6070",
    "127.0.0.1",
    "[::1]:6070",
    "10.0.0.7:6070",
    "limits.example",
    "Limits.Example:1",
  ])("passes if its host is %s", async (host) => {
    const { adminUrl } = await startWithAdmin({}, { hosts: ["limits.example"] });
    expect(await statuses(1, `${adminUrl}/metrics`, { headers: { host } })).toEqual([200]);
  });

  it.each([
    "attacker.example",
    "localhost.attacker.example",
    "127.0.0.1.attacker.example:6070",
    "other.limits.example",
    "attacker.example#localhost",
    "localhost, attacker.example",
    "[localhost]:80",
    "::1",
    "",
  ])("gets 403 if its host is %j, for any path", async (host) => {
    const { adminUrl } = await startWithAdmin({}, { hosts: ["limits.example"] });
    const connection = await openConnection(adminUrl);
    connection.send(`GET /metrics HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    await connection.closed;
    expect(connection.received).toMatch(/^HTTP\/1.1 403 /);
  });

  it("gets no metrics without a host", async () => {
    const { adminUrl } = await startWithAdmin();
    const connection = await openConnection(adminUrl);
    connection.send("GET /metrics HTTP/1.0\r\n\r\n");
    await connection.closed;
    expect(connection.received).toMatch(/^HTTP\/1.1 403 /);
  });
});

describe("an admin listener with tokens", () => {
  const texts = ["0123456789abcdef", "another-token-of-ours"];
  const tokens = texts.map((token) => ({ token, access: "read" as const }));

  it("gives metrics to clients with one of them", async () => {
    const { adminUrl } = await startWithAdmin({}, { tokens });
    for (const token of texts) {
      const headers = { Authorization: `Bearer ${token}` };
      expect(await statuses(1, `${adminUrl}/metrics`, { headers })).toEqual([200]);
    }
    expect(await statuses(1, `${adminUrl}/metrics`, { headers: { Authorization: `bearer  ${texts[0]}` } })).toEqual([
      200,
    ]);
  });

  it("tells its health to everyone, as probes have no token", async () => {
    const { adminUrl } = await startWithAdmin({}, { tokens });
    expect(await statuses(1, `${adminUrl}/healthz`)).toEqual([200]);
    expect(await statuses(1, `${adminUrl}/readyz`)).toEqual([200]);
  });
});
