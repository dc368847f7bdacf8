import { createLimiter, type Limiter, perDay, perMinute } from "tollgate";
import { manualClock } from "tollgate/testing";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { PlanTable } from "../../../src/stores/local/plan-table.ts";
import { KeyTable } from "../../../src/stores/memory/key-table.ts";
import { BOUNDED_STORES, fill, freshKeys } from "./full-stores.ts";

const NUMBERS = 80;
/** A family asks four tables for each key. */
const MOST_LOOKS = 4;
const DAY_MS = 86_400_000;

interface Request {
  readonly key: string;
  readonly quota: number;
}

describe.each(BOUNDED_STORES)("many numbers of one name, on a $kind store,", (bounded) => {
  const clock = manualClock(1_790_000_000_123);
  let looks = 0;
  let store: ReturnType<typeof bounded.create>;
  let limiter: Limiter<Request>;

  const setUp = (maxKeys: number) => {
    store = bounded.create({ maxKeys });
    limiter = createLimiter({
      name: "api",
      key: ({ key }: Request) => key,
      limits: ({ quota }) => [perDay(quota, { name: "calls" })],
      clock,
      store,
    });
  };
  const looksOf = (call: () => void): number => {
    looks = 0;
    call();
    return looks;
  };

  beforeEach(() => {
    const { locateOnce } = KeyTable.prototype;
    vi.spyOn(KeyTable.prototype, "locateOnce").mockImplementation(function (this: KeyTable, key) {
      looks += 1;
      return locateOnce.call(this, key);
    });
    setUp(5_000);
    for (let i = 0; i < NUMBERS; i += 1) limiter.consume({ key: `own-${i}`, quota: 100 + i }, 7);
  });

  afterEach(() => vi.restoreAllMocks());

  it("cost a new key a look at a few tables", () => {
    for (const [i, key] of freshKeys(200).entries()) {
      expect(looksOf(() => limiter.consume({ key, quota: 100 + (i % NUMBERS) }))).toBeLessThanOrEqual(MOST_LOOKS);
    }
  });

  it("carry over from each to each, by a look at the table that counts", () => {
    for (let i = 0; i < NUMBERS; i += 1) {
      const input = { key: `own-${i}`, quota: 100 + ((7 * i + 1) % NUMBERS) };
      expect(looksOf(() => limiter.consume(input))).toBeLessThanOrEqual(MOST_LOOKS + 2);
      expect(limiter.explain(input)).toMatchObject([{ used: 8, capacity: input.quota }]);
      expect(limiter.explain({ ...input, quota: 100 })).toMatchObject([{ used: 8, capacity: 100 }]);
    }
    expect([limiter.size, store.size]).toEqual([NUMBERS, NUMBERS]);
  });

  it("forget a key by looks at the tables that may have it", () => {
    const drop = vi.spyOn(KeyTable.prototype, "drop");
    limiter.reset({ key: "own-30", quota: 150 });
    expect(drop.mock.calls.length).toBeLessThanOrEqual(MOST_LOOKS + 2);
    expect(limiter.explain({ key: "own-30", quota: 100 })).toMatchObject([{ used: 0 }]);
    expect(limiter.explain({ key: "own-31", quota: 100 })).toMatchObject([{ used: 7 }]);
    expect(store.size).toBe(NUMBERS - 1);
  });

  it("are cleared together, and counted and swept one by one", () => {
    expect([limiter.size, limiter.sweep()]).toEqual([NUMBERS, 0]);
    limiter.clear();
    expect([limiter.size, store.size]).toEqual([0, 0]);
    for (let i = 0; i < NUMBERS; i += 1) {
      expect(limiter.explain({ key: `own-${i}`, quota: 100 })).toMatchObject([{ used: 0 }]);
      limiter.consume({ key: `own-${i}`, quota: 100 + i }, 3);
      expect(limiter.explain({ key: `own-${i}`, quota: 101 })).toMatchObject([{ used: 3 }]);
    }
    clock.advance(DAY_MS);
    expect([limiter.sweep(), limiter.size, store.size]).toEqual([NUMBERS, 0, 0]);
  });

  it("give back the bytes of their index", () => {
    limiter.sweep();
    // The log of resets is made by the first one.
    limiter.reset({ key: "none", quota: 100 });
    const before = store.bytes;
    const keys = freshKeys(600);
    for (const [i, key] of keys.entries()) limiter.consume({ key, quota: 100 + (i % NUMBERS) });
    for (const key of keys) limiter.reset({ key, quota: 100 });
    limiter.sweep();
    expect(store.bytes - before).toBeLessThan(5_000);
  });

  it("cost a key of a full store a look at the overflow buckets that may count", () => {
    setUp(1);
    fill(bounded, createLimiter({ name: "filler", limits: [perMinute(9)], clock, store }), 9);
    const overflow = vi.spyOn(PlanTable.prototype, "overflow");
    const keys = freshKeys(300);
    for (const [i, key] of keys.entries()) limiter.consume({ key, quota: 10_000 + (i % NUMBERS) }, 1);
    overflow.mockClear();
    const used = keys.map((key, i) => limiter.explain({ key, quota: 10_000 + ((i + 11) % NUMBERS) })[0]?.used ?? 0);
    expect(overflow.mock.calls.length).toBeLessThan(4 * keys.length);
    // Each of m keys in a bucket finds m units, whichever numbers took them. So a bucket adds up to 1.
    const buckets = used.reduce((sum, one) => sum + 1 / one, 0);
    expect(buckets).toBeCloseTo(Math.round(buckets), 9);
    expect(buckets).toBeLessThan(256);
  });
});
