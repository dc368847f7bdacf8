import type { LimitsFile, RuleWords } from "tollgate/config";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { RECENT_BOUNDS, RecentRequests } from "../../src/limits/recent-requests.ts";

const FILE: LimitsFile = {
  version: 1,
  trustedHeaders: ["x-plan"],
  domains: {
    api: {
      limits: {
        key: {
          by: ["header.x-api-key", "user"],
          rate: "9/1m",
          plans: { from: "header.x-plan", is: { pro: "unlimited" } },
          cost: { requests: { from: "query.cost" } },
        },
      },
    },
  },
};

function open(bounds: Partial<typeof RECENT_BOUNDS> = {}) {
  const clock = manualClock(1_000_000);
  const recent = new RecentRequests(clock, { ...RECENT_BOUNDS, ...bounds });
  recent.keepFactsOf(FILE);
  return { clock, recent };
}

describe("the requests of the last minute", () => {
  it("have what rules ask for, and hashes of what only tells clients apart", () => {
    const { recent } = open();
    recent.note(
      "api",
      {
        ip: "192.0.2.1",
        method: "GET",
        path: "/a?cost=3&secret=1",
        header: { "x-api-key": "secret-1", "x-plan": "pro", authorization: "secret-2", host: "API.example:80" },
        descriptor: { user: "secret-3", other: "secret-4" },
      },
      undefined,
      "consume",
    );
    const [{ facts } = { facts: {} }] = recent.collect().requests;
    expect(facts).toEqual({
      ip: "192.0.2.1",
      method: "GET",
      path: "/a",
      host: "api.example",
      header: { "x-api-key": expect.stringMatching(/^[\w+/]{16}$/), "x-plan": "pro" },
      query: { cost: "3" },
      cookie: {},
      descriptor: { user: expect.stringMatching(/^[\w+/]{16}$/) },
    });
    expect(JSON.stringify(facts)).not.toContain("secret");
  });

  it("have one hash for one text in a process, and another in the next", () => {
    const keyOf = (recent: RecentRequests, key: string) => {
      recent.note("api", { header: { "x-api-key": key } }, undefined, "consume");
      return JSON.stringify(recent.collect().requests.at(-1)?.facts.header);
    };
    const { recent } = open();
    expect(keyOf(recent, "a")).toBe(keyOf(recent, "a"));
    expect(keyOf(recent, "a")).not.toBe(keyOf(recent, "b"));
    expect(keyOf(recent, "a")).not.toBe(keyOf(open().recent, "a"));
  });

  it.each([
    ["makes a key before it is compared", ["a", "b"]],
    ["is compared before it makes a key", ["b", "a"]],
  ])("have the text of a fact that %s", (_what, order) => {
    const { recent } = open();
    const rules: Readonly<Record<string, RuleWords>> = {
      a: { by: "header.x", rate: "1/1m" },
      b: { match: { "header.x": "p*" }, rate: "1/1m" },
    };
    const limits = Object.fromEntries(order.map((name): [string, RuleWords] => [name, rules[name] ?? {}]));
    recent.keepFactsOf({ version: 1, domains: { api: { limits } } });
    recent.note("api", { header: { x: "pro" } }, undefined, "consume");
    expect(recent.collect().requests[0]?.facts.header).toEqual({ x: "pro" });
  });

  it("are the latest ones, and say when they are not all", () => {
    const { clock, recent } = open({ requests: 3 });
    for (let i = 1; i <= 3; i += 1) recent.note("api", { path: `/${i}` }, i, "consume");
    expect(recent.collect().isComplete).toBe(true);
    clock.advance(1_000);
    recent.note("api", { path: "/4" }, 4, "charge");
    expect(recent.collect().requests.map(({ cost, isCharge }) => [cost, isCharge])).toEqual([
      [2, false],
      [3, false],
      [4, true],
    ]);
    expect(recent.collect().isComplete).toBe(false);
    clock.advance(60_000);
    expect(recent.collect().requests).toHaveLength(1);
    expect(recent.collect().isComplete).toBe(true);
    clock.advance(1);
    expect(recent.collect().requests).toEqual([]);
  });

  it("take bounded memory, whatever clients send", () => {
    const { recent } = open({ characters: 20_000 });
    const long = "x".repeat(100_000);
    const facts = {
      ip: long,
      method: long,
      path: `/${long}`,
      host: long,
      header: { "x-api-key": long, "x-plan": long },
    };
    for (let i = 0; i < 100; i += 1) recent.note("api", { ...facts, query: { cost: long } }, undefined, "consume");
    const kept = recent.collect().requests;
    expect(kept.length).toBeGreaterThan(5);
    expect(kept.length).toBeLessThan(20);
    expect(JSON.stringify(kept.map((one) => one.facts)).length).toBeLessThan(25_000);
    recent.note("api", {}, { [long]: 1 }, "consume");
    expect(recent.collect().requests).toHaveLength(kept.length);
    expect(recent.collect().isComplete).toBe(false);
  });

  it("do not keep the long texts that they were cut out of", () => {
    const { recent } = open();
    const collect = globalThis.gc;
    if (collect === undefined) throw new Error("run with --expose-gc");
    const usedBytes = (): number => {
      collect();
      return process.memoryUsage().heapUsed;
    };
    const before = usedBytes();
    for (let i = 0; i < 100; i += 1) {
      const long = `${"x".repeat(500_000)}${i}`;
      const path = i % 2 === 0 ? `/${long}` : `/orders/of/customers?${long}`;
      // Bodies bring texts in memory of their own.
      const body = JSON.stringify({ ip: long, path, header: { "x-plan": long } });
      recent.note("api", JSON.parse(body), undefined, "consume");
    }
    expect(recent.collect().requests).toHaveLength(100);
    expect(usedBytes() - before).toBeLessThan(5_000_000);
  });

  it("keep few facts of a file that names many", () => {
    const { recent } = open();
    const by = (i: number) => ({ by: `header.h${i}`, rate: "1/1m" as const });
    const limits = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`r${i}`, by(i)]));
    recent.keepFactsOf({ version: 1, domains: { api: { limits } } });
    recent.note("api", { header: () => "x" }, undefined, "consume");
    expect(Object.keys(recent.collect().requests[0]?.facts.header ?? {})).toHaveLength(32);
  });
});
