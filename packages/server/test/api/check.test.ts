import { manualClock } from "tollgate/testing";
import { describe, expect, it, vi } from "vitest";
import { limitsFile } from "../support/limits-file.ts";
import { LOCAL_ADMIN } from "../support/test-admin.ts";
import { startTestService, type TestOptions } from "../support/test-service.ts";

const LIMITS = `
version: 1
domains:
  api:
    limits:
      client: { by: ip, rate: 9/1m }
      login: { match: { method: POST, path: /login, host: shop.example }, by: ip, within: 1/15m }
  other:
    limits:
      all: { by: method, rate: 1/1m }
`;

/** A service over the limits, and a check as a proxy on this machine asks it. */
async function startChecks(options: TestOptions = {}, checkDomain?: string) {
  const file = await limitsFile(LIMITS);
  const application = { ...file.application, checkDomain };
  const service = await startTestService({ application, clock: manualClock(), ...options });
  const check = (method: string, uri: string, client = "192.0.2.1", route = "/check") =>
    fetch(`${service.url}${route}`, {
      headers: {
        "X-Forwarded-Method": method,
        "X-Forwarded-Uri": uri,
        "X-Forwarded-Host": "shop.example",
        "X-Forwarded-For": client,
      },
    });
  return { ...service, ...file, check };
}

describe("/check over a limits file", () => {
  it("decides about the request that the proxy asks about, by all rules that match", async () => {
    const { check } = await startChecks();
    const allowed = await check("POST", "/login?next=/");
    expect([allowed.status, allowed.headers.get("ratelimit")]).toEqual([200, '"login.within";r=0;t=900']);
    const denied = await check("POST", "/login");
    expect([denied.status, denied.headers.get("retry-after")]).toEqual([429, "900"]);
    expect((await check("POST", "/login", "192.0.2.1", "/check/403")).status).toBe(403);
    expect((await check("GET", "/login")).status).toBe(200);
    expect((await check("POST", "/login", "192.0.2.2")).status).toBe(200);
  });

  it("asks the domain that the command line names, and refuses one that the file does not have", async () => {
    const { check } = await startChecks({}, "other");
    expect([(await check("GET", "/")).status, (await check("GET", "/")).status]).toEqual([200, 429]);
    await expect(startChecks({}, "nowhere")).rejects.toThrow(
      /limits\.yaml:1:1: domains: expected "nowhere", which decides \/check, got "api", "other"$/,
    );
  });

  it("keeps the limits before a file without the domain that decides it", async () => {
    const { check, write, errors } = await startChecks();
    await write(LIMITS.replace("  api:", "  renamed:"));
    await vi.waitFor(() => expect(errors.join("\n")).toContain('expected "api", which decides /check'));
    expect((await check("GET", "/")).status).toBe(200);
  });

  it("is measured and logged as other limiters are, also after a reload", async () => {
    const { check, adminUrl, write, log } = await startChecks({ admin: LOCAL_ADMIN, requestIds: true, logDenials: 5 });
    await check("POST", "/login");
    await check("POST", "/login");
    expect(log.join("\n")).toContain('"limiter":"api/login"');
    const metrics = async () => (await fetch(`${adminUrl}/metrics`)).text();
    const denied = 'rate_limit_acquire_total{limiter="api/login",limit="login.within",result="deny"}';
    expect(await metrics()).toContain(`${denied} 1`);
    await write(LIMITS.replace("within: 1/15m", "within: 2/15m"));
    await vi.waitFor(() => expect(log.join("\n")).toContain("limits loaded from"));
    expect((await check("POST", "/login")).status).toBe(200);
    expect((await check("POST", "/login")).status).toBe(429);
    expect(await metrics()).toContain(`${denied} 2`);
  });

  it("takes the last of several long files that come while one is read, and keeps what was counted", async () => {
    const many = Array.from({ length: 1_000 }, (_, i) => `      r${i}: { match: { path: /r/${i} }, rate: 9/1m }\n`);
    const longLimits = (within: string) =>
      LIMITS.replace("1/15m", within).replace("  other:", `${many.join("")}  other:`);
    const { check, write, reload, log, errors } = await startChecks();
    await check("POST", "/login");
    for (const within of ["2/15m", "3/15m", "4/15m"]) {
      await write(longLimits(within));
      reload();
    }
    await vi.waitFor(
      async () => expect((await check("POST", "/login")).headers.get("ratelimit-policy")).toContain("q=4;w=900"),
      { timeout: 20_000 },
    );
    expect(log.join("\n")).toContain("limits loaded from");
    expect((await check("POST", "/login")).headers.get("ratelimit")).toMatch(/"login.within";r=[01];/);
    expect(errors).toEqual([]);
  });
});
