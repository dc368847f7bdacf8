import {
  type AsyncReservation,
  concurrency,
  createLimiter,
  fixedWindow,
  type Limit,
  memoryStore,
  perDay,
  type Reservation,
  slidingWindow,
  tokenBucket,
} from "tollgate";
import { manualClock } from "tollgate/testing";
import { describe, expect, it, vi } from "vitest";
import { START_MS } from "../../start-ms.ts";
import { AsyncTwin } from "../../testing/async-twin.ts";
import { EVERY_STORE } from "../every-store.ts";
import { correctionAttacks } from "./corrections.ts";

describe.each(EVERY_STORE)("over %s", (_name, createStore) => {
  correctionAttacks(() => createStore());
});

it.each(EVERY_STORE)(
  "over %s, resets of many keys take no limit's places from all its keys",
  async (_name, createStore) => {
    const store = createStore();
    const logins = createLimiter({ name: "logins", limits: [perDay(10)], store });
    const open: { readonly limit: number; readonly place: Reservation | AsyncReservation }[] = [];
    for (let limit = 0; limit < 8; limit += 1) {
      const limits = [concurrency({ name: `streams ${limit}`, max: 5, ttl: "1h" })];
      const limiter = createLimiter({ name: "streams", limits, store });
      for (let key = 0; key < 50; key += 1) open.push({ limit, place: await limiter.reserve(`key ${key}`) });
    }
    for (let login = 0; login < 16_000; login += 1) {
      await logins.allow(`login ${login}`);
      await logins.reset(`login ${login}`);
    }
    const renewed = new Set<number>();
    for (const { limit, place } of open) if (await place.renew()) renewed.add(limit);
    expect(renewed.size).toBe(8);
  },
);

it("a refund that a store could not make can be made again", async () => {
  const store = new AsyncTwin(memoryStore());
  const limiter = createLimiter({ name: "api", limits: [perDay(10)], store });
  const decision = await limiter.consume("ann", 5);
  vi.spyOn(store, "transact").mockRejectedValueOnce(new Error("lost"));
  await expect(limiter.refund("ann", 4, decision)).rejects.toThrow("lost");
  await limiter.refund("ann", 5, decision);
  expect(await limiter.peek("ann", 0)).toMatchObject({ remaining: 10 });
});

describe("a reservation that is charged 20 times a second", () => {
  const HOUR = { limit: 1_000_000, window: "1h" } as const;
  const minute = fixedWindow({ limit: 1_000_000, window: "1m", anchor: "first-use", name: "minute" });

  it.each<[string, Limit, most: number]>([
    ["a token bucket", tokenBucket({ capacity: 1_000_000, refill: 1, per: "1h" }), 500],
    ["a fixed window", fixedWindow(HOUR), 500],
    // Joined charges are given back from the group of the first one.
    ["a sliding window", slidingWindow(HOUR), 700],
  ])("gives back, under %s, all that it charged, in a thousand steps", async (_kind, limit, most) => {
    const clock = manualClock(START_MS);
    const store = new AsyncTwin(memoryStore());
    const limiter = createLimiter({ limits: [limit, minute], store, clock });
    const reservation = await limiter.reserve("ann");
    for (let part = 0; part < 10_000; part += 1) {
      await reservation.charge(1);
      if (part % 20 === 0) await limiter.charge("ann", 1);
      clock.advance(50);
    }
    const asked = vi.spyOn(store, "transact");
    await reservation.cancel();
    expect(asked.mock.calls.length).toBeLessThanOrEqual(1_024);
    // What the other calls took stays: 500 in all, 20 in this minute.
    const [all = 0, ...ofMinute] = (await limiter.explain("ann")).map(({ used }) => used);
    expect(all).toBeGreaterThanOrEqual(500);
    expect(all).toBeLessThanOrEqual(most);
    expect(ofMinute).toEqual([20]);
  });
});
