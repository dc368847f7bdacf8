import fc from "fast-check";
import { Counter, Registry, type RegistryContentType } from "prom-client";
import { combine, createLimiter, type Key, perMinute, perSecond, tokenBucket } from "tollgate";
import { hotKeys, instrument } from "tollgate/metrics";
import { manualClock } from "tollgate/testing";
import { describe, expect, it, vi } from "vitest";
import { forgetWarnings } from "../../src/core/warnings.ts";
import { EVERY_STORE, limiterOver } from "../limiter/every-store.ts";
import { START_MS } from "../start-ms.ts";
import { AsyncTwin } from "../testing/async-twin.ts";
import { instrumented } from "./instrumented.ts";
import { linesOf } from "./scrape.ts";

const clock = manualClock(START_MS);

/** The series of calls and of tokens. */
const seriesOf = async (registry: Registry) => [
  ...(await linesOf(registry, "rate_limit_acquire_total")),
  ...(await linesOf(registry, "rate_limit_tokens")),
];

const acquired = (limit: string, result: string, count: number) =>
  `rate_limit_acquire_total{limiter="api",limit="${limit}",result="${result}"} ${count}`;

describe("rate_limit_acquire_total", () => {
  it.each(EVERY_STORE)("counts every call once, whatever its verb, over %s", async (_name, store) => {
    const limiter = limiterOver(store(), { name: "api", limits: [perMinute(6, { name: "calls" })], clock });
    await limiter.allow("a");
    const { registry, remove } = instrumented(limiter);
    const handle = limiter.handle("a");
    expect(await limiter.allow("a")).toBe(true);
    expect(await limiter.allow("a", { requests: 1 })).toBe(true);
    expect(await handle.allow()).toBe(true);
    expect((await limiter.consume("a")).allowed).toBe(true);
    expect(await limiter.allowMany(["a", "a", "b"], new Uint8Array(3))).toBe(2);
    expect(await handle.allow()).toBe(false);
    expect((await limiter.reserve("a")).decision.allowed).toBe(false);
    const decision = await limiter.peek("a");
    await limiter.charge("a", 1, decision);
    await limiter.refund("a", 1);
    expect(await seriesOf(registry)).toEqual([acquired("calls", "allow", 6), acquired("calls", "deny", 3)]);
    // Without a decision that it corrects, a charge is a call.
    await limiter.charge("a", 1);
    expect(await seriesOf(registry)).toContain(acquired("calls", "deny", 4));
    await limiter.block("c", "1m");
    expect(await limiter.allow("c")).toBe(false);
    expect(await seriesOf(registry)).toContain(acquired("calls", "blocked", 1));
    remove();
    await limiter.allow("d");
    expect(await seriesOf(registry)).toEqual([]);
  });

  it("equals what callers count, for any calls, limits and observers that come and go", async () => {
    const call = fc.record({
      key: fc.constantFrom("a", "b", "c"),
      verb: fc.constantFrom(
        "allow" as const,
        "consume" as const,
        "handle" as const,
        "observe" as const,
        "hot" as const,
      ),
      cost: fc.integer({ min: 0, max: 3 }),
    });
    const lists = [
      [perMinute(20)],
      [perMinute(20), perSecond(30)],
      [tokenBucket({ capacity: 9, refill: 1, per: "1m", blockFor: "1m" })],
    ];
    await fc.assert(
      fc.asyncProperty(fc.array(call, { maxLength: 60 }), fc.constantFrom(...lists), async (calls, limits) => {
        const limiter = createLimiter({ name: "api", limits, clock: manualClock(START_MS) });
        const { registry } = instrumented(limiter);
        const counted = { allow: 0, deny: 0, blocked: 0 };
        let ends: (() => void)[] = [];
        for (const { key, verb, cost } of calls) {
          if (verb === "observe" || verb === "hot") {
            if (ends.length < 2) ends.push(verb === "hot" ? hotKeys(limiter).close : limiter.observe(() => {}));
            else for (const end of ends.splice(0)) end();
            ends = [...ends];
            continue;
          }
          const isBlocked = limiter.blockedUntil(key) !== undefined;
          const decided = verb === "handle" ? limiter.handle(key).allow(cost) : limiter[verb](key, cost);
          const allowed = typeof decided === "boolean" ? decided : decided.allowed;
          if (allowed) counted.allow += 1;
          else counted[isBlocked ? "blocked" : "deny"] += 1;
        }
        const sums = { allow: 0, deny: 0, blocked: 0 };
        for (const line of await seriesOf(registry)) {
          const [, result, count] = /result="(\w+)"\} (\d+)$/.exec(line)!;
          sums[result as keyof typeof sums] += Number(count);
        }
        expect(sums).toEqual(counted);
      }),
    );
  });

  it("names the limit that binds, where there are several", async () => {
    const limits = [perMinute(4, { name: "calls" }), perMinute(100, { name: "words", unit: "words" })];
    const limiter = createLimiter({ name: "api", limits, clock: manualClock(START_MS) });
    const { registry } = instrumented(limiter);
    for (const words of [90, 1, 90, 1]) limiter.consume(`user of ${words} words`, { requests: 1, words });
    const plain = createLimiter({ name: "plain", limits: [perMinute(4, { name: "a" }), perMinute(2, { name: "b" })] });
    instrument(plain, { registry });
    for (let i = 0; i < 3; i += 1) plain.allow("a");
    expect(await seriesOf(registry)).toEqual([
      acquired("words", "allow", 1),
      acquired("words", "deny", 1),
      acquired("calls", "allow", 2),
      acquired("b", "allow", 2).replace("api", "plain"),
      acquired("b", "deny", 1).replace("api", "plain"),
    ]);
  });

  it("has shadow denials in addition, and calls that were decided without the store", async () => {
    const store = new AsyncTwin();
    const limits = [perMinute(9, { name: "calls" }), perMinute(1, { name: "trial", mode: "shadow" })];
    const limiter = createLimiter({ name: "api", limits, clock, store });
    const { registry } = instrumented(limiter);
    await limiter.allow("a");
    await limiter.allow("a");
    store.outage = { cause: "timeout", policy: "deny" };
    await limiter.allow("a");
    expect(await seriesOf(registry)).toEqual([
      acquired("calls", "allow", 2),
      acquired("trial", "shadow_deny", 1),
      acquired("", "degraded", 1),
    ]);
  });

  it("has a key label if asked for, and no more labels than the cap", async () => {
    const limiter = createLimiter({ name: "api", limits: [perMinute(1, { name: "calls" })], clock });
    const { registry } = instrumented(limiter, { keyLabel: (key) => key, maxKeyLabels: 2 });
    for (let i = 0; i < 1_000; i += 1) limiter.allow(`key-${i}`);
    limiter.consume("key-0");
    limiter.consume("key-999");
    const of = (result: string, key: string, count: number) =>
      `rate_limit_acquire_total{limiter="api",limit="calls",result="${result}",key="${key}"} ${count}`;
    expect(await seriesOf(registry)).toEqual([
      of("allow", "key-0", 1),
      of("deny", "key-0", 1),
      of("allow", "key-1", 1),
      of("allow", "other", 998),
      of("deny", "other", 1),
    ]);
  });

  it.each([
    ["throws", () => JSON.parse("{")],
    ["returns no text", () => 5 as never],
  ])("fails no call if the label's function %s", async (_case, keyLabel) => {
    forgetWarnings();
    vi.spyOn(console, "warn").mockImplementation(() => {});
    const limiter = createLimiter({ name: "api", limits: [perMinute(9, { name: "calls" })], clock });
    const { registry } = instrumented(limiter, { keyLabel });
    expect([limiter.allow("a"), limiter.consume("a").allowed]).toEqual([true, true]);
    expect((await seriesOf(registry))[0]).toMatch(/key="other"\} 2$/);
    forgetWarnings();
  });

  it("adds the counts of limiters of one name, and has all limiters of a registry", async () => {
    const registry = new Registry();
    for (const name of ["api", "api", "logins"]) {
      const limiter = createLimiter({ name, limits: [perMinute(9, { name: "calls" })], clock });
      instrument(limiter, { registry });
      limiter.allow("a");
    }
    const looked = createLimiter({ name: "looked", key: async () => "a", limits: [perMinute(9, { name: "calls" })] });
    instrument(looked, { registry });
    await looked.allow(undefined);
    expect(await seriesOf(registry)).toEqual([
      acquired("calls", "allow", 2),
      acquired("calls", "allow", 1).replace("api", "logins"),
      acquired("calls", "allow", 1).replace("api", "looked"),
    ]);
  });

  it("has the calls of combinations, under the limit that binds", async () => {
    const first = createLimiter({ name: "api", limits: [perMinute(9, { name: "calls" })], clock });
    const second = createLimiter({ name: "second", limits: [perMinute(1, { name: "few" })], clock });
    const { registry } = instrumented(first);
    const both = combine(first, second);
    both.allow("a");
    both.allow("a");
    expect(await seriesOf(registry)).toEqual([acquired("few", "allow", 1), acquired("few", "deny", 1)]);
  });

  it("is text that OpenMetrics knows, too, and JSON that processes of a cluster add up", async () => {
    const registry: Registry<RegistryContentType> = new Registry();
    registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE);
    const limiter = createLimiter({ name: "api", limits: [perMinute(9, { name: "calls" })], clock });
    instrument(limiter, { registry });
    limiter.allow("a");
    const text = await registry.metrics();
    expect(text).toContain("# TYPE rate_limit_acquire counter\n");
    expect(text).toContain(`\n${acquired("calls", "allow", 1)}\n`);
    expect((await registry.getMetricsAsJSON())[0]).toMatchObject({ type: "counter", aggregator: "sum" });
    registry.resetMetrics();
    expect(await registry.metrics()).toContain(`\n${acquired("calls", "allow", 1)}\n`);
  });
});

describe("rate_limit_tokens", () => {
  it.each(EVERY_STORE)("has the units left of chosen keys, and creates none, over %s", async (_name, store) => {
    const limits = [perMinute(9, { name: "calls" }), perMinute(5, { name: "few" })];
    const limiter = limiterOver(store(), { name: "api", limits, clock });
    const { registry } = instrumented(limiter, { tokensOf: () => ["a", "unknown"] });
    await limiter.allow("a", 2);
    const of = (limit: string, key: string, left: number) =>
      `rate_limit_tokens{limiter="api",limit="${limit}",key="${key}"} ${left}`;
    expect((await seriesOf(registry)).slice(1)).toEqual([
      of("calls", "a", 7),
      of("few", "a", 3),
      of("calls", "unknown", 9),
      of("few", "unknown", 5),
    ]);
    expect(await (typeof limiter.size === "function" ? limiter.size() : limiter.size)).toBe(1);
  });

  it("has the units left of hot keys, which may be tuples or begin as one", async () => {
    const limiter = createLimiter({ name: "api", key: (key: Key) => key, limits: [perMinute(1)], clock });
    const { registry } = instrumented(limiter, { tokensOf: hotKeys(limiter, { sample: 1 }) });
    for (const key of [["ann", "/login"], "[1]"]) for (let call = 0; call < 3; call += 1) limiter.allow(key);
    const tokens = (await seriesOf(registry)).filter((line) => line.startsWith("rate_limit_tokens"));
    expect(tokens.map((line) => line.slice(-2))).toEqual([" 0", " 0"]);
  });

  it("fails no scrape", async () => {
    forgetWarnings();
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
    const limiter = createLimiter({ name: "api", limits: [perMinute(9, { name: "calls" })], clock });
    const { registry } = instrumented(limiter, { tokensOf: () => JSON.parse("{") });
    limiter.allow("a");
    expect(await seriesOf(registry)).toEqual([acquired("calls", "allow", 1)]);
    expect(warn).toHaveBeenCalledTimes(1);
    forgetWarnings();
  });
});

describe("instrument", () => {
  const limiter = createLimiter({ name: "api", limits: [perMinute(9)], clock });

  it("throws what the registry throws if another metric has the name", () => {
    const registry = new Registry();
    registry.registerMetric(new Counter({ name: "rate_limit_acquire_total", help: "mine", registers: [] }));
    expect(() => instrument(limiter, { registry })).toThrow("already been registered");
  });

  it.each([
    ["a limiter", createLimiter({ limits: [perMinute(9)], clock })],
    ["a combination with one", combine(limiter, createLimiter({ limits: [perMinute(9)], clock }))],
  ])("refuses %s without a name, whose series nothing would tell apart", (_what, unnamed) => {
    const call = () => instrument(unnamed, { registry: new Registry() });
    expect(call).toThrow(/instrument: expected limiters with names, .+told apart/);
  });

  it.each([
    [null, "instrument: expected an object of options, got null"],
    [{ registry: {} }, "registry: expected a Registry of prom-client, got an object"],
    [{ sample: 0 }, "sample: expected a whole number from 1 to 10000, got 0"],
    [{ storeName: "" }, "storeName: expected 1 to 128 printable ASCII characters"],
    [{ registry: new Registry(), keyLabel: 1 }, "keyLabel: expected a function from a key to a label, got 1"],
    [
      { registry: new Registry(), tokensOf: [] },
      "tokensOf: expected a function that returns keys, or hotKeys(…), got ",
    ],
    [
      { registry: new Registry(), keyLabel: String, maxKeyLabels: 0 },
      "maxKeyLabels: expected a whole number from 1 to 10000, got 0",
    ],
    [{ registers: [] }, 'instrument: unknown option "registers"; did you mean "registry"?'],
  ])("refuses options that do not fit: case %#", (options, message) => {
    expect(() => instrument(limiter, options as never)).toThrow(message);
  });
});
