import { Registry } from "prom-client";
import { createLimiter, memoryStore, perMinute, perSecond } from "tollgate";
import { instrument } from "tollgate/metrics";
import { sharedStore } from "tollgate/shared";
import { tableStore } from "tollgate/table";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { START_MS } from "../start-ms.ts";
import { linesOf } from "./scrape.ts";

const STORES = [
  ["memory", () => memoryStore({ maxKeys: 16 })],
  ["table", () => tableStore({ maxKeys: 16 })],
  ["shared", () => sharedStore({ maxKeys: 16, maxBytes: 2 ** 28 })],
] as const;

describe("the metrics of a store", () => {
  it.each(STORES)("have its keys and overflows: %s", async (label, create) => {
    const store = create();
    const registry = new Registry();
    const remove = instrument(store, { registry });
    const clock = manualClock(START_MS);
    const limiter = createLimiter({ name: "api", limits: [perSecond(2)], clock, store });
    for (let i = 0; i < 300; i += 1) limiter.allow(`key-${i}`);
    const { size, overflowCount } = store;
    expect(overflowCount).toBeGreaterThan(0);
    expect(await linesOf(registry, "rate_limit_keys")).toEqual([`rate_limit_keys{store="${label}"} ${size}`]);
    expect(await linesOf(registry, "rate_limit_overflow_total")).toEqual([
      `rate_limit_overflow_total{store="${label}"} ${overflowCount}`,
    ]);
    remove();
    expect(await linesOf(registry, "rate_limit")).toEqual([]);
  });

  it.each(STORES)("have what was swept: %s", async (label, create) => {
    const store = create();
    const registry = new Registry();
    instrument(store, { registry });
    const clock = manualClock(START_MS);
    const limiter = createLimiter({ name: "api", limits: [perSecond(2)], clock, store });
    for (let i = 0; i < 5; i += 1) limiter.allow(`key-${i}`);
    clock.advance(10_000);
    expect(limiter.sweep()).toBe(5);
    const lines = await linesOf(registry, "rate_limit_swept_total");
    expect(lines).toEqual([`rate_limit_swept_total{store="${label}"} 5`]);
  });

  it("have the idle keys whose slots a table gives to others", async () => {
    const store = tableStore({ maxKeys: 16 });
    const registry = new Registry();
    instrument(store, { registry });
    const clock = manualClock(START_MS);
    const limiter = createLimiter({ name: "api", limits: [perSecond(2)], clock, store });
    for (let i = 0; i < 300; i += 1) limiter.allow(`key-${i}`);
    const before = store.size;
    clock.advance(10_000);
    for (let i = 0; i < 300; i += 1) limiter.allow(`another ${i}`);
    expect(await linesOf(registry, "rate_limit_swept_total")).toEqual([
      `rate_limit_swept_total{store="table"} ${before}`,
    ]);
  });

  it.each(STORES)("have the keys that are blocked now: %s", async (label, create) => {
    const store = create();
    const registry = new Registry();
    instrument(store, { registry });
    const clock = manualClock(START_MS);
    const limiter = createLimiter({ name: "api", limits: [perSecond(2)], clock, store });
    const blocked = async () => (await linesOf(registry, "rate_limit_blocked"))[0];
    expect(await blocked()).toBe(`rate_limit_blocked{store="${label}"} 0`);
    limiter.block("a", "1m");
    limiter.block("b", "2m");
    expect(await blocked()).toBe(`rate_limit_blocked{store="${label}"} 2`);
    clock.advance(90_000);
    expect(await blocked()).toBe(`rate_limit_blocked{store="${label}"} 1`);
    limiter.unblock("b");
    expect(await blocked()).toBe(`rate_limit_blocked{store="${label}"} 0`);
  });

  it("come with a limiter, once for all limiters of a store, until the last one is removed", async () => {
    const store = memoryStore();
    const registry = new Registry();
    const of = (name: string) => createLimiter({ name, limits: [perMinute(9)], store });
    const removals = [instrument(of("one"), { registry }), instrument(of("two"), { registry, storeName: "main" })];
    of("one").allow("a");
    of("two").allow("a");
    expect(await linesOf(registry, "rate_limit_keys")).toEqual(['rate_limit_keys{store="main"} 2']);
    removals[0]?.();
    expect(await linesOf(registry, "rate_limit_keys")).toEqual(['rate_limit_keys{store="main"} 2']);
    removals[1]?.();
    expect(await linesOf(registry, "rate_limit_keys")).toEqual([]);
  });

  it("need a limiter or a store", () => {
    const registry = new Registry();
    expect(() => instrument({} as never, { registry })).toThrow("instrument: expected a limiter or a store");
    expect(() => instrument(memoryStore(), { registry, sample: 3 })).toThrow('instrument: unknown option "sample"');
  });
});
