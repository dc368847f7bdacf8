import { createLimiter, type Limit, memoryStore, perMinute, slidingWindow } from "tollgate";
import { sharedStore } from "tollgate/shared";
import { tableStore } from "tollgate/table";
import { manualClock } from "tollgate/testing";
import { afterAll, describe, expect, it } from "vitest";
import { arrayBuffersInUse, heapInUse } from "../memory/memory-in-use.ts";

const clock = manualClock(1_790_000_000_123);

// V8 decides by the first seven instances of a class how many properties are part of the object itself. If each of them
// is collected before the next, it finds none alive and reserves room for no property: objects then take twice as much.
const kept = [memoryStore(), tableStore({ maxKeys: 10 })].map((store) =>
  createLimiter({ limits: [perMinute(5)], clock, store }),
);
for (const limiter of kept) limiter.allow("ann");
afterAll(() => {
  for (const limiter of kept) limiter.close();
});

/** The bytes that a store reports, divided by those that it really takes. */
function ratioOf(use: () => { readonly bytes: number }): number {
  const before = heapInUse() + arrayBuffersInUse();
  const store = use();
  const measured = heapInUse() + arrayBuffersInUse() - before;
  return store.bytes / measured;
}

function address(i: number): string {
  return `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`;
}

describe("a store reports the bytes that it takes", () => {
  const ample = { maxKeys: 1_000_000, maxBytes: 2 ** 32 };

  it.each<[string, readonly Limit[], number, (i: number) => string]>([
    ["addresses under a bucket", [perMinute(5)], 150_000, address],
    ["addresses just after the Map has doubled", [perMinute(5)], 140_000, address],
    ["short keys", [perMinute(5)], 200_000, String],
    ["keys of two bytes a unit", [perMinute(5)], 60_000, (i) => `ключ-клиента-${i}`],
    ["keys of 250 units", [perMinute(5)], 40_000, (i) => String(i).padStart(250, "x")],
    ["keys of 5,000 units", [perMinute(5)], 8_000, (i) => String(i).padStart(5_000, "x")],
    ["keys of a window", [slidingWindow({ limit: 64, window: "1m" })], 10_000, address],
  ])("memory: %s", (_what, limits, keys, keyOf) => {
    const ratio = ratioOf(() => {
      const store = memoryStore(ample);
      const limiter = createLimiter({ limits, clock, store });
      for (let i = 0; i < keys; i += 1) limiter.allow(keyOf(i));
      return Object.assign(store, { limiter });
    });
    expect(ratio).toBeGreaterThan(0.8);
    expect(ratio).toBeLessThan(1.25);
  });

  it.each([
    ["memory", () => memoryStore({ maxKeys: 10 }), 2_000],
    ["memory with room", () => memoryStore(ample), 4_000],
  ])("limits chosen per call: %s", (_which, create, plans) => {
    const ratio = ratioOf(() => {
      const store = create();
      const limits = Array.from({ length: plans }, (_, i) => slidingWindow({ limit: 20, window: 60_000 + i }));
      const limiter = createLimiter({ key: () => "ann", limits: (i: number) => [limits[i]!], clock, store });
      for (let i = 0; i < plans; i += 1) limiter.allow(i);
      return Object.assign(store, { limiter });
    });
    expect(ratio).toBeGreaterThan(0.8);
    expect(ratio).toBeLessThan(1.25);
  });

  it.each([
    ["memory", () => memoryStore(ample)],
    ["table", () => tableStore({ maxKeys: 1_000 })],
  ])("no more after its keys, plans and buckets are gone: %s", (_which, create) => {
    const store = create();
    const before = createLimiter({ limits: [perMinute(1)], clock, store });
    before.allow("a");
    before.clear();
    before.sweep();
    const atFirst = store.bytes;
    const limiter = createLimiter({ name: "other", limits: [perMinute(1)], clock, store });
    for (let round = 0; round < 5; round += 1) {
      for (let i = 0; i < 800; i += 1) limiter.allow(`${"long".repeat(i % 100)}-${i}`);
      for (let i = 0; i < 300; i += 1) limiter.peek(`new-${i}`);
      for (let i = 0; i < 400; i += 1) limiter.reset(`${"long".repeat(i % 100)}-${i}`);
      limiter.clear();
    }
    // One plan with its front cache remains, with texts of up to 256 units in a table store, and the log of resets.
    expect(store.bytes - atFirst).toBeLessThan(250_000 + 12 * 2 ** 14);
    expect(store.bytes).toBeGreaterThanOrEqual(atFirst);
  });
});

describe("a store that is short of bytes", () => {
  const limits = [perMinute(2)];

  it("counts a new key in overflow buckets, which have an eighth of the bytes reserved", () => {
    const store = memoryStore({ maxBytes: 2 ** 17 });
    const limiter = createLimiter({ limits, clock, store });
    for (let i = 0; i < 10_000; i += 1) limiter.allow(`client-${i}`);
    expect(store.size).toBeLessThan(2_000);
    expect(store.overflowCount).toBe(10_000 - store.size);
    expect(store.bytes).toBeGreaterThan(2 ** 16);
    expect(store.bytes).toBeLessThanOrEqual(2 ** 17);
    expect(limiter.consume("new")).toHaveProperty("overflowed", true);
  });

  it("denies a new key if the overflow buckets do not fit", () => {
    const store = memoryStore({ maxBytes: 2 ** 17 });
    // 256 buckets of 134 cells take 274 kB.
    const limiter = createLimiter({ limits: [slidingWindow({ limit: 64, window: "1m" })], clock, store });
    for (let i = 0; i < 1_000; i += 1) limiter.allow(`client-${i}`);
    expect(limiter.consume("new")).toMatchObject({ allowed: false, reason: "store-full", retryAfterMs: 1_000 });
    expect([limiter.allow("client-0"), limiter.allow("client-0", 63)]).toEqual([true, false]);
  });

  it.each([
    ["tableStore", () => tableStore({ maxKeys: 1_000, maxBytes: 2 ** 17 })],
    ["sharedStore", () => sharedStore({ maxKeys: 1_000, maxBytes: 2 ** 22 + 2 ** 19 })],
  ])("denies keys of limits chosen per call that do not fit, and throws no error: %s", (_name, createStore) => {
    const store = createStore();
    const wide = slidingWindow({ limit: 64, window: "1m" });
    const limiter = createLimiter({ name: "chosen", key: (key: string) => key, limits: () => [wide], clock, store });
    expect(limiter.peek("a")).toMatchObject({ allowed: false, reason: "store-full" });
    expect(limiter.consume("a")).toMatchObject({ allowed: false, reason: "store-full", violated: [wide] });
    const fixed = createLimiter({ name: "fixed", limits, clock, store });
    expect([fixed.allow("a"), fixed.allow("a"), fixed.allow("a")]).toEqual([true, true, false]);
    expect(() => createLimiter({ name: "wide", limits: [wide], clock, store })).toThrow(/\d+ bytes.+maxBytes/);
  });
});
