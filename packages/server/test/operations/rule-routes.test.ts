import { describe, expect, it, vi } from "vitest";
import { LIMITS, READER, START_MS, startOperated } from "./operate.ts";

const ANN = { ip: "192.0.2.1" };
const LOGIN = { facts: { ...ANN, method: "POST", path: "/login" } };

function later(ms: number): string {
  return new Date(START_MS + ms).toISOString();
}

describe("a rule", () => {
  it("is turned off for a time, and its keys keep what they have used", async () => {
    const { operate, decide, clock, audited } = await startOperated();
    await decide(LOGIN);
    expect(await decide(LOGIN)).toMatchObject({ allowed: false, limiter: "api/login" });
    const off = await operate("POST", "/v1/rules/login/off", { domain: "api", for: "10m" });
    const override = { domain: "api", rule: "login", mode: "off", until: later(600_000), by: "ann" };
    expect(off).toMatchObject({ status: 200, body: override });
    expect(await decide(LOGIN)).toMatchObject({ allowed: true, limiter: "api/client" });
    expect((await operate("GET", "/rlconfig")).body).toMatchObject({
      overrides: [override],
      limits: { domains: { api: { limits: { login: { mode: "off" } } } } },
    });
    // What an operator would edit does not have it.
    expect(JSON.stringify((await operate("GET", "/v1/limits")).body)).not.toContain("mode");
    clock.advance(599_999);
    expect(await decide(LOGIN)).toMatchObject({ limiter: "api/client" });
    clock.advance(1);
    await vi.waitFor(async () => {
      expect(await decide(LOGIN)).toMatchObject({ allowed: false, limiter: "api/login" });
    });
    expect((await operate("GET", "/rlconfig")).body["overrides"]).toEqual([]);
    const { version } = (await operate("GET", "/rlconfig")).body;
    expect(audited()).toEqual([
      {
        who: "ann",
        action: "rule.off",
        request_id: off.headers.get("x-request-id"),
        domain: "api",
        rule: "login",
        until: later(600_000),
        version,
      },
      {
        who: "clock",
        action: "rule.restore",
        domain: "api",
        rule: "login",
        mode: "off",
        set_by: "ann",
        why: "expired",
      },
    ]);
  });

  it("counts in shadow mode, and denies nothing", async () => {
    const { operate, decide } = await startOperated();
    await operate("POST", "/v1/rules/login/shadow", { domain: "api", for: 60_000 });
    await decide(LOGIN);
    expect(await decide(LOGIN)).toMatchObject({ allowed: true, shadowDenied: ["login.within"] });
  });

  it("is enforced for a time although its file says shadow or off", async () => {
    for (const mode of ["shadow", "off"]) {
      const { operate, decide, clock } = await startOperated(
        LIMITS.replace("within: 1/15m", `within: 1/15m, mode: ${mode}`),
      );
      await operate("POST", "/v1/rules/login/on", { domain: "api", for: "1m" });
      await decide(LOGIN);
      expect(await decide(LOGIN)).toMatchObject({ allowed: false, limiter: "api/login" });
      clock.advance(60_000);
      await vi.waitFor(async () => expect(await decide(LOGIN)).toMatchObject({ allowed: true }));
    }
  });

  it("is what its file says when an operator restores it", async () => {
    const { operate, decide, audited } = await startOperated();
    await decide(LOGIN);
    await operate("POST", "/v1/rules/login/off", { domain: "api", for: "10m" });
    const restored = await operate("POST", "/v1/rules/login/restore", { domain: "api" });
    expect(restored.body).toEqual({ domain: "api", rule: "login", wasOverridden: true });
    expect(await decide(LOGIN)).toMatchObject({ allowed: false });
    const again = await operate("POST", "/v1/rules/login/restore", { domain: "api" });
    expect(again.body).toMatchObject({ wasOverridden: false });
    expect(audited().map(({ action }) => action)).toEqual(["rule.off", "rule.restore"]);
  });

  it("stays off when the file is loaded again, as long as the file has the rule", async () => {
    const { operate, decide, write, audited } = await startOperated();
    await operate("POST", "/v1/rules/login/off", { domain: "api", for: "10m" });
    await write(LIMITS.replace("3/1m", "9/1m"));
    await vi.waitFor(() => expect(audited().map(({ action }) => action)).toContain("limits.load"));
    await decide(LOGIN);
    expect(await decide(LOGIN)).toMatchObject({ allowed: true, remaining: 7 });
    await write(LIMITS.replace("login:", "signin:"));
    await vi.waitFor(() => expect(audited().filter(({ action }) => action === "limits.load")).toHaveLength(2));
    expect((await operate("GET", "/rlconfig")).body["overrides"]).toEqual([]);
    expect(audited()).toContainEqual({
      who: "files",
      action: "rule.restore",
      domain: "api",
      rule: "login",
      mode: "off",
      set_by: "ann",
      why: "rule-gone",
    });
  });

  it("shows its override in a metric, and in health without its name", async () => {
    const { operate, url, adminUrl } = await startOperated();
    await operate("POST", "/v1/rules/login/off", { domain: "api", for: "10m" });
    const metrics = await fetch(`${adminUrl}/metrics`, { headers: { authorization: `Bearer ${READER}` } });
    expect(await metrics.text()).toContain('tollgate_rule_override{domain="api",rule="login",mode="off"} 1\n');
    const health = await (await fetch(`${url}/healthz`)).text();
    expect(JSON.parse(health)).toMatchObject({ limits: { overrides: 1 } });
    expect(health).not.toContain("login");
  });

  it.each([
    ["nowhere", "login", 404, "expected a domain and a rule of the limits in force"],
    ["api", "nothing", 404, "expected a domain and a rule"],
    ["api", "__proto__", 404, "expected a domain and a rule"],
    ["api", "%6cogin", 404, "expected a domain and a rule"],
  ])("is not found as %s/%s", async (domain, rule, status, message) => {
    const { operate } = await startOperated();
    const answer = await operate("POST", `/v1/rules/${rule}/off`, { domain, for: "1m" });
    expect(answer).toMatchObject({ status, body: { error: expect.stringContaining(message) } });
  });

  it.each([
    [{ domain: "api" }, "for: expected a duration"],
    [{ domain: "api", for: "999ms" }, "from 1000 to 604800000 ms"],
    [{ for: "1m" }, "domain: expected a text, got nothing"],
    [{ domain: "api", until: 1 }, "body: expected only domain, for"],
    [[], "body: expected an object"],
    ["{", "body: expected JSON"],
  ])("is not overridden by %j", async (body, message) => {
    const { operate, audited } = await startOperated();
    const answer = await operate("POST", "/v1/rules/login/off", body);
    expect(answer).toMatchObject({ status: 400, body: { error: expect.stringContaining(message) } });
    expect((await operate("GET", "/rlconfig")).body["overrides"]).toEqual([]);
    expect(audited()).toEqual([]);
  });
});
