import { createLimiter, type Limiter, perDay } from "tollgate";
import { manualClock } from "tollgate/testing";
import { beforeEach, describe, expect, it } from "vitest";
import { BOUNDED_STORES } from "./full-stores.ts";

const NUMBERS = 80;

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
});
