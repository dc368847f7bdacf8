import { createLimiter, type Limiter, perDay } from "tollgate";
import { manualClock } from "tollgate/testing";
import { beforeEach, describe, expect, it } from "vitest";
import { BOUNDED_STORES, freshKeys } from "./full-stores.ts";

const NUMBERS = 80;
const DAY_MS = 86_400_000;

interface Request {
  readonly key: string;
  readonly quota: number;
}

describe.each(BOUNDED_STORES)("many numbers of one name, on a $kind store,", (bounded) => {
  const clock = manualClock(1_790_000_000_123);
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
  beforeEach(() => {
    setUp(5_000);
    for (let i = 0; i < NUMBERS; i += 1) limiter.consume({ key: `own-${i}`, quota: 100 + i }, 7);
  });

  it("carry over from each to each, and count a key once", () => {
    for (let i = 0; i < NUMBERS; i += 1) {
      const input = { key: `own-${i}`, quota: 100 + ((7 * i + 1) % NUMBERS) };
      limiter.consume(input);
      expect(limiter.explain(input)).toMatchObject([{ used: 8, capacity: input.quota }]);
      expect(limiter.explain({ ...input, quota: 100 })).toMatchObject([{ used: 8, capacity: 100 }]);
    }
    expect([limiter.size, store.size]).toEqual([NUMBERS, NUMBERS]);
  });

  it("forget a key under all of them", () => {
    limiter.reset({ key: "own-30", quota: 150 });
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

  it("give back the bytes of keys that are gone", () => {
    limiter.sweep();
    // The log of resets is made by the first one.
    limiter.reset({ key: "none", quota: 100 });
    const before = store.bytes;
    const keys = freshKeys(600);
    for (const [i, key] of keys.entries()) limiter.consume({ key, quota: 100 + (i % NUMBERS) });
    for (const key of keys) limiter.reset({ key, quota: 100 });
    limiter.sweep();
    expect(store.bytes - before).toBeLessThan(10_000);
  });
});
