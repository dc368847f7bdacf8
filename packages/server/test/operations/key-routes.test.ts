import { describe, expect, it } from "vitest";
import { type Body, LIMITS, READER, START_MS, startOperated, WRITER } from "./operate.ts";

const ANN = { ip: "192.0.2.1" };
const CLIENT = { domain: "api", rule: "client", key: "192.0.2.1" };

/** One call in 32 is counted, at random. */
async function decideOften(decide: (call: Body) => Promise<unknown>, facts: object): Promise<void> {
  const requests = Array.from({ length: 100 }, () => ({ domain: "api", facts }));
  for (let i = 0; i < 10; i += 1) await decide({ domain: undefined, requests });
}

describe("a key of a rule", () => {
  it("is explained, by GET and by POST", async () => {
    const { operate, decide } = await startOperated();
    await decide({ facts: ANN, cost: 2 });
    const limit = {
      name: "client.rate",
      unit: "requests",
      capacity: 3,
      used: 2,
      remaining: 1,
      retryAfterMs: 0,
      resetMs: 40_000,
      allowed: true,
      mode: "enforce",
    };
    const expected = { status: 200, body: { blockedUntil: null, limits: [limit] } };
    expect(await operate("POST", "/v1/keys/explain", CLIENT)).toMatchObject(expected);
    const query = new URLSearchParams(CLIENT).toString();
    const reader = { authorization: `Bearer ${READER}` };
    expect(await operate("GET", `/v1/keys/explain?${query}`, undefined, reader)).toMatchObject(expected);
  });

  it("is listed if it is called or denied often, and hidden from readers unless it is an address", async () => {
    const { operate, decide } = await startOperated();
    const login = { ip: "192.0.2.1", method: "POST", path: "/login", header: { "x-api-key": "k-1" } };
    await decideOften(decide, login);
    const list = async (token: string) => {
      const { body } = await operate("GET", "/v1/keys/hot?domain=api", undefined, { authorization: `Bearer ${token}` });
      const { active, denied } = body as Record<string, readonly Body[]>;
      const shown = (keys: readonly Body[] = []) =>
        keys.map(({ rule, key }) => `${String(rule)} ${String(key)}`).toSorted();
      return { active: shown(active), denied: shown(denied) };
    };
    const writer = await list(WRITER);
    expect(writer.active).toEqual(["client 192.0.2.1", "key k-1", "login 192.0.2.1"]);
    expect(writer.denied).toEqual(["login 192.0.2.1"]);
    const { active } = await list(READER);
    expect(active).toEqual(["client 192.0.2.1", expect.stringMatching(/^key key-[0-9a-f]{12}$/), "login 192.0.2.1"]);
  });

  it.each(["other: { by: header.x-api-key, rate: 5/1m }", "key: { by: ip, rate: 5/1m }"])(
    "is hidden from readers, too, after its rule was replaced by %s",
    async (replaced) => {
      const { operate, decide } = await startOperated();
      await decideOften(decide, { header: { "x-api-key": "k-1" } });
      const changed = { "content-type": "application/yaml", "if-match": "*" };
      const limits = LIMITS.replace(/key: .*/, replaced);
      expect((await operate("PUT", "/v1/limits", limits, changed)).status).toBe(200);
      const reader = { authorization: `Bearer ${READER}` };
      const { active } = (await operate("GET", "/v1/keys/hot?domain=api", undefined, reader)).body;
      const hidden = { rule: "key", key: expect.stringMatching(/^key-[0-9a-f]{12}$/) };
      expect(active).toEqual(expect.arrayContaining([expect.objectContaining(hidden)]));
      expect(JSON.stringify(active)).not.toContain("k-1");
    },
  );

  it.each(["__proto__", "toString", "nothing"])("is of no domain %s", async (domain) => {
    const { operate } = await startOperated();
    for (const list of ["hot", "blocked"])
      expect((await operate("GET", `/v1/keys/${list}?domain=${domain}`)).status).toBe(404);
  });

  it("is listed while it is blocked, those first whose block ends last", async () => {
    const { operate, decide } = await startOperated();
    await operate("POST", "/v1/keys/block", { ...CLIENT, for: "10m", reason: "abuse" });
    await operate("POST", "/v1/keys/block", { domain: "api", rule: "key", key: "k-1", for: "1h" });
    await operate("POST", "/v1/keys/block", { domain: "api", rule: "login", key: "192.0.2.9", for: "1m" });
    await operate("POST", "/v1/keys/unblock", { domain: "api", rule: "login", key: "192.0.2.9" });
    const list = async (token: string) =>
      (await operate("GET", "/v1/keys/blocked?domain=api", undefined, { authorization: `Bearer ${token}` })).body;
    const client = { rule: "client", key: "192.0.2.1", endsInMs: 600_000, reason: "abuse" };
    expect(await list(WRITER)).toEqual({ total: 2, keys: [{ rule: "key", key: "k-1", endsInMs: 3_600_000 }, client] });
    // Blocks outlast a change of the limits, whether or not a request has needed their rules since.
    const changed = { "content-type": "application/yaml", "if-match": "*" };
    expect((await operate("PUT", "/v1/limits", LIMITS.replace("5/1m", "6/1m"), changed)).status).toBe(200);
    const hidden = { rule: "key", key: expect.stringMatching(/^key-[0-9a-f]{12}$/), endsInMs: 3_600_000 };
    expect(await list(READER)).toEqual({ total: 2, keys: [hidden, client] });
    expect(await decide({ facts: ANN })).toMatchObject({ allowed: false, reason: "blocked" });
  });

  it("is reset", async () => {
    const { operate, decide, audited } = await startOperated();
    await decide({ facts: ANN, cost: 3 });
    expect(await decide({ facts: ANN })).toMatchObject({ allowed: false });
    const { headers, status } = await operate("POST", "/v1/keys/reset", CLIENT);
    expect(status).toBe(200);
    expect(await decide({ facts: ANN })).toMatchObject({ allowed: true, remaining: 2 });
    expect(audited()).toMatchObject([
      { who: "ann", action: "key.reset", request_id: headers.get("x-request-id"), ...CLIENT },
    ]);
  });

  it("is blocked and unblocked", async () => {
    const { operate, decide, audited } = await startOperated();
    const blocked = await operate("POST", "/v1/keys/block", { ...CLIENT, for: "10m", reason: "abuse" });
    const blockedUntil = new Date(START_MS + 600_000).toISOString();
    expect(blocked).toMatchObject({ status: 200, body: { blockedUntil } });
    expect(await decide({ facts: ANN })).toMatchObject({
      allowed: false,
      reason: "blocked",
      block: { reason: "abuse" },
    });
    expect((await operate("POST", "/v1/keys/explain", CLIENT)).body).toMatchObject({ blockedUntil });
    expect((await operate("POST", "/v1/keys/unblock", CLIENT)).body).toEqual({ wasBlocked: true });
    expect((await operate("POST", "/v1/keys/unblock", CLIENT)).body).toEqual({ wasBlocked: false });
    expect(await decide({ facts: ANN })).toMatchObject({ allowed: true });
    await operate("POST", "/v1/keys/block", { ...CLIENT, until: START_MS + 5_000 });
    expect(await decide({ facts: ANN })).toMatchObject({ block: { endsInMs: 5_000 } });
    expect(audited().map(({ action, until, reason }) => [action, until, reason])).toEqual([
      ["key.block", blockedUntil, "abuse"],
      ["key.unblock", undefined, undefined],
      ["key.unblock", undefined, undefined],
      ["key.block", new Date(START_MS + 5_000).toISOString(), undefined],
    ]);
  });

  it("is in the log by its hash, unless it is an address", async () => {
    const { operate, log } = await startOperated();
    for (const key of ["secret-9", "1:secret-9", "0:secret-9", ["secret-9"]]) {
      expect(await operate("POST", "/v1/keys/reset", { domain: "api", rule: "key", key })).toMatchObject({
        status: 200,
      });
    }
    expect(log.join("\n")).not.toContain("secret-9");
    expect(log.join("\n")).toMatch(/"key":"key-[\da-f]{12}"/);
  });

  it("is a list of several facts, or an empty one of a rule without facts", async () => {
    const { operate, decide } = await startOperated(
      LIMITS.replace("by: ip, rate: 3/1m", "by: [ip, method], rate: 3/1m").concat("      all: { quota: 9/1d }\n"),
    );
    await decide({ facts: { ...ANN, method: "GET" } });
    const explain = async (about: object) => {
      const { status, body } = await operate("POST", "/v1/keys/explain", { domain: "api", ...about });
      return status === 200 ? (body["limits"] as { used: number }[]).map(({ used }) => used) : body["error"];
    };
    expect(await explain({ rule: "client", key: ["192.0.2.1", "GET"] })).toEqual([1]);
    expect(await explain({ rule: "all", key: [] })).toEqual([1]);
    expect(await explain({ rule: "all" })).toEqual([1]);
    expect(await explain({ rule: "client", key: "192.0.2.1" })).toContain(
      "key: expected a text for each of ip, method",
    );
    const query = "/v1/keys/explain?domain=api&rule=client&key=192.0.2.1&key=GET";
    expect((await operate("GET", query)).body["limits"]).toMatchObject([{ used: 1 }]);
  });

  it.each<[string, object, number, string]>([
    ["explain", { ...CLIENT, rule: "nothing" }, 404, "expected a domain and a rule"],
    ["explain", { domain: "api", rule: "client", key: 1 }, 400, "key: expected a text, or a list"],
    ["explain", { domain: "api", rule: "client" }, 400, "key: expected a text for each of ip"],
    ["reset", { ...CLIENT, all: true }, 400, "body: expected only domain, rule, key"],
    ["block", CLIENT, 400, "body: expected either for or until"],
    ["block", { ...CLIENT, for: "1m", until: 1 }, 400, "body: expected either for or until"],
    ["block", { ...CLIENT, for: "soon" }, 400, "expected milliseconds or text"],
    ["block", { ...CLIENT, for: "1m", reason: "x".repeat(101) }, 400, "reason"],
  ])("refuses to %s %j", async (verb, body, status, message) => {
    const { operate, audited } = await startOperated();
    const answer = await operate("POST", `/v1/keys/${verb}`, body);
    expect(answer).toMatchObject({ status, body: { error: expect.stringContaining(message) } });
    expect(audited()).toEqual([]);
  });
});
