import { createLimits, type LimitsFile } from "tollgate/config";
import { manualClock } from "tollgate/testing";
import { describe, expect, it, vi } from "vitest";
import { LimitsInForce } from "../../src/limits/limits-in-force.ts";
import { RecentRequests } from "../../src/limits/recent-requests.ts";
import { DryRuns } from "../../src/operations/dry-run.ts";
import { JSON_BODY } from "../support/json-body.ts";
import { startOperated } from "./operate.ts";

const ANN = { ip: "192.0.2.1" };
const BOB = { ip: "192.0.2.2" };
const YAML = { "content-type": "application/yaml" };

function textOf(rules: string): string {
  return `version: 1\ndomains:\n  api:\n    limits:\n${rules}`;
}

async function start(rules: string) {
  const operated = await startOperated(textOf(rules));
  const dryRun = async (changed: string) => {
    const { status, body } = await operated.operate("PUT", "/v1/limits?dryRun=true", textOf(changed), YAML);
    return { status, ...body } as Record<string, unknown>;
  };
  return { ...operated, dryRun };
}

describe("a dry run", () => {
  it("says per rule what other limits would have denied in the last minute, and changes nothing", async () => {
    const { dryRun, decide, operate, audited } = await start("      client: { by: ip, rate: 3/1m }\n");
    for (let i = 0; i < 5; i += 1) await decide({ facts: ANN });
    await decide({ facts: BOB });
    const before = await operate("GET", "/v1/limits");
    const rules = "      client: { by: ip, rate: 1/1m }\n      all: { quota: 2/1d, mode: shadow }\n";
    expect(await dryRun(rules)).toEqual({
      status: 200,
      requests: 6,
      from: "2026-11-23T12:00:00.000Z",
      isComplete: true,
      unknownFacts: [],
      withoutInflight: [],
      before: { denied: 2, withoutDomain: 0 },
      after: { denied: 4, withoutDomain: 0 },
      rules: [
        {
          domain: "api",
          rule: "client",
          before: { counted: 6, denied: 2, wouldDeny: 0 },
          after: { counted: 6, denied: 4, wouldDeny: 0 },
        },
        { domain: "api", rule: "all", before: null, after: { counted: 6, denied: 0, wouldDeny: 0 } },
      ],
    });
    expect((await operate("GET", "/v1/limits")).body).toEqual(before.body);
    expect(await decide({ verb: "peek", facts: BOB })).toMatchObject({ allowed: true, remaining: 1 });
    expect(audited()).toEqual([]);
  });

  it("knows the descriptors of Envoy's protocol, each as a request", async () => {
    const rule = '      user: { match: { descriptor: { user: "*" } }, by: user, quota: 99/1d }\n';
    const { dryRun, url } = await start(rule);
    const ask = async (...users: string[]) => {
      const descriptors = users.map((value) => ({ entries: [{ key: "user", value }] }));
      const body = JSON.stringify({ domain: "api", descriptors, hitsAddend: 2 });
      expect((await fetch(`${url}/json`, { method: "POST", headers: JSON_BODY, body })).status).toBe(200);
    };
    await ask("ann", "bob");
    await ask("ann");
    expect(await dryRun(rule.replace("99", "3"))).toMatchObject({ requests: 3, after: { denied: 1 } });
  });

  it("decides at the times of the requests", async () => {
    const { dryRun, decide, clock } = await start("      client: { by: ip, rate: 99/1m }\n");
    for (let i = 0; i < 6; i += 1) {
      await decide({ facts: ANN });
      clock.advance(10_000);
    }
    expect(await dryRun("      client: { by: ip, within: 2/20s }\n")).toMatchObject({ after: { denied: 0 } });
    expect(await dryRun("      client: { by: ip, within: 1/20s }\n")).toMatchObject({ after: { denied: 3 } });
  });

  it("tells rules apart whose names begin alike, denials without a limit, and rules in shadow mode", async () => {
    const { dryRun, decide } = await start("      a: { by: ip, rate: 9/1m }\n");
    for (let i = 0; i < 3; i += 1) await decide({ facts: ANN });
    await decide({ facts: BOB });
    const report = await dryRun(
      [
        "      a: { by: ip, rate: 9/1m }",
        "      a.rate: { by: ip, quota: 2/1d }",
        "      b: { by: ip, rate: 9/1m, keys: { 192.0.2.2: deny } }",
        "      c: { by: ip, rate: 1/1m, mode: shadow }",
        "",
      ].join("\n"),
    );
    expect(report).toMatchObject({ after: { denied: 2 } });
    const after = (report["rules"] as { rule: string; after: object }[]).map((one) => [one.rule, one.after]);
    expect(Object.fromEntries(after)).toEqual({
      a: { counted: 4, denied: 0, wouldDeny: 0 },
      "a.rate": { counted: 4, denied: 1, wouldDeny: 0 },
      b: { counted: 4, denied: 1, wouldDeny: 0 },
      c: { counted: 4, denied: 0, wouldDeny: 2 },
    });
  });

  it("keeps overrides of rules, before and after", async () => {
    const { dryRun, decide, operate } = await start("      client: { by: ip, rate: 1/1m }\n");
    await operate("POST", "/v1/rules/client/off", { domain: "api", for: "1m" });
    for (let i = 0; i < 3; i += 1) await decide({ facts: ANN });
    expect(await dryRun("      client: { by: ip, rate: 2/1m }\n")).toMatchObject({
      before: { denied: 0 },
      after: { denied: 0 },
      rules: [],
    });
  });

  it("takes costs as they were given, and charges whatever the limits say", async () => {
    const { dryRun, decide } = await start(
      "      client: { by: ip, rate: { tokens: 100/1m }, cost: { tokens: 10 } }\n",
    );
    await decide({ facts: ANN, cost: { tokens: 60 } });
    await decide({ verb: "charge", facts: ANN, cost: { tokens: 90 } });
    await decide({ verb: "reserve", facts: ANN });
    await decide({ facts: BOB });
    const after = await dryRun("      client: { by: ip, rate: { tokens: 155/1m }, cost: { tokens: 10 } }\n");
    expect(after).toMatchObject({ requests: 4, before: { denied: 1 }, after: { denied: 1 } });
    const more = await dryRun("      client: { by: ip, rate: { tokens: 160/1m }, cost: { tokens: 10 } }\n");
    expect(more).toMatchObject({ after: { denied: 0 } });
    const other = await dryRun("      client: { by: ip, rate: { words: 1/1m } }\n");
    expect(other).toMatchObject({ status: 200, requests: 4, after: { denied: 0 } });
  });

  it("knows the facts that rules name, as clients sent them to either route", async () => {
    const rules = [
      "      key: { by: header.X-Api-Key, rate: 99/1m }",
      "      q: { match: { query.q: a* }, by: cookie.sid, rate: 99/1m }",
      "      d: { match: { descriptor: { user: '*' } }, by: user, rate: 99/1m }",
      "",
    ].join("\n");
    const { dryRun, decide, url } = await start(rules);
    await decide({ facts: { header: { "X-API-Key": "k" }, path: "/?q=ab", cookie: { sid: "s" } } });
    await decide({ facts: { descriptor: { user: "u" } } });
    for (const path of ["/v1/x?q=ab", "/v1/x?q=ab", "/v1/x?q=b"]) {
      await fetch(`${url}/check`, {
        headers: { "x-forwarded-uri": path, "x-forwarded-method": "GET", "x-api-key": "k", cookie: "a=b; sid=s" },
      });
    }
    const report = await dryRun(rules.replaceAll("99/1m", "2/1m"));
    const after = (report["rules"] as { rule: string; after: object }[]).map((one) => [one.rule, one.after]);
    expect(Object.fromEntries(after)).toEqual({
      key: { counted: 4, denied: 2, wouldDeny: 0 },
      q: { counted: 3, denied: 1, wouldDeny: 0 },
      d: { counted: 1, denied: 0, wouldDeny: 0 },
    });
    expect(report["unknownFacts"]).toEqual([]);
  });

  it("names the facts that were not kept, or only as a hash", async () => {
    const { dryRun, decide } = await start("      key: { by: header.x-api-key, rate: 9/1m }\n");
    await decide({ facts: { header: { "x-api-key": "k", "x-plan": "pro" } } });
    const report = await dryRun(
      "      key: { by: header.x-api-key, rate: 9/1m, keys: { k: deny } }\n" +
        "      new: { match: { header.x-plan: pro }, by: header.x-api-key, rate: 9/1m }\n",
    );
    expect(report["unknownFacts"]).toEqual(["header.x-api-key", "header.x-plan"]);
  });

  it("leaves inflight out, and says so", async () => {
    const rules =
      "      a: { by: ip, inflight: { max: 1, ttl: 1m } }\n      b: { by: ip, rate: 9/1m, inflight: { max: 1, ttl: 1m } }\n";
    const { dryRun, decide } = await start(rules);
    for (let i = 0; i < 3; i += 1) await decide({ verb: "reserve", facts: ANN });
    const report = await dryRun(rules.replace("9/1m", "2/1m"));
    expect(report).toMatchObject({
      requests: 3,
      withoutInflight: ["api/a", "api/b"],
      before: { denied: 0 },
      after: { denied: 1 },
    });
  });

  it("counts requests to domains that are gone", async () => {
    const { decide, operate } = await start(
      "      a: { by: ip, rate: 9/1m }\n  other: { limits: { b: { rate: 9/1m } } }\n",
    );
    await decide({ domain: "other", facts: ANN });
    const answer = await operate("PUT", "/v1/limits?dryRun=true", textOf("      a: { by: ip, rate: 9/1m }\n"), YAML);
    expect(answer.body).toMatchObject({ before: { withoutDomain: 0 }, after: { withoutDomain: 1 } });
  });

  it("tells mistakes, and a version that is not in force", async () => {
    const { dryRun, operate } = await start("      a: { by: ip, rate: 9/1m }\n");
    expect(await dryRun("      a: { by: ip, rat: 9/1m }\n")).toMatchObject({ status: 422, mistakes: [{ line: 5 }] });
    const text = textOf("      a: { by: ip, rate: 9/1m }\n");
    const late = await operate("PUT", "/v1/limits?dryRun=true", text, { ...YAML, "if-match": '"0"' });
    expect(late.status).toBe(412);
  });

  it.each(["dryrun=true", "dryRun=1", "dryRun", "dryRun=true&dryRun=false", "dryRun=true&x=1"])(
    "is not guessed from %s",
    async (query) => {
      const { operate, audited } = await start("      a: { by: ip, rate: 9/1m }\n");
      const text = textOf("      a: { by: ip, rate: 1/1m }\n");
      const answer = await operate("PUT", `/v1/limits?${query}`, text, { ...YAML, "if-match": "*" });
      expect(answer.status).toBe(400);
      expect(audited()).toEqual([]);
    },
  );

  it("is refused while another one is not over, and lets other work run in between", async () => {
    const clock = manualClock();
    const file: LimitsFile = { version: 1, domains: { api: { limits: { a: { by: "ip", rate: "9/1m" } } } } };
    const limits = createLimits(file, { clock });
    const inForce = new LimitsInForce({ limits, file, clock, onOwnChange: () => {}, onInstall: () => {} });
    const recent = new RecentRequests(clock);
    for (let i = 0; i < 2_000; i += 1) recent.note("api", ANN, undefined, "consume");
    const dryRuns = new DryRuns(inForce, recent);
    let isOver = false;
    const first = dryRuns.of(file).finally(() => {
      isOver = true;
    });
    await expect(dryRuns.of(file)).rejects.toMatchObject({ status: 503, headers: { "retry-after": "1" } });
    await new Promise((resolve) => setImmediate(resolve));
    expect(isOver).toBe(false);
    expect(await first).toMatchObject({ requests: 2_000, after: { denied: 1_991 } });
    expect(await dryRuns.of(file)).toMatchObject({ requests: 2_000 });
    limits.close();
  });

  it("compiles many rules in steps, and decides requests in turns", async () => {
    const clock = manualClock();
    const rules = Array.from({ length: 1_000 }, (_, i) => [`r${i}`, { match: { path: `/${i}` }, rate: "1/1s" }]);
    const file = { version: 1, domains: { api: { limits: Object.fromEntries(rules) } } } as LimitsFile;
    const limits = createLimits(file, { clock });
    const inForce = new LimitsInForce({ limits, file, clock, onOwnChange: () => {}, onInstall: () => {} });
    const recent = new RecentRequests(clock);
    for (let i = 0; i < 1_000; i += 1) recent.note("api", { ...ANN, path: `/${i}` }, undefined, "consume");
    // A millisecond passes between two readings of the clock.
    let nowMs = performance.now();
    const spies = [
      vi.spyOn(performance, "now").mockImplementation(() => ++nowMs),
      vi.spyOn(globalThis, "setTimeout"),
      vi.spyOn(globalThis, "setImmediate"),
    ];
    await new DryRuns(inForce, recent).of(file);
    const [, steps = 0, turns = 0] = spies.map((spy) => spy.mock.calls.length);
    for (const spy of spies) spy.mockRestore();
    // Both versions are compiled, and put into an index.
    expect(steps).toBeGreaterThan((2 * 2 * rules.length) / 12);
    expect(turns).toBeGreaterThan((2 * rules.length) / 6);
    limits.close();
  });
});
