import { type AsyncReservation, concurrency, createLimiter, perDay, type Reservation } from "tollgate";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { START_MS } from "../../start-ms.ts";
import { type AnyLimiter, EVERY_STORE } from "../every-store.ts";

const TTL_MS = 60_000;

/** Takes a unit or a place of one key after another until one is counted in an overflow bucket. */
async function fill(limiter: AnyLimiter, prefix: string) {
  const all: (Reservation | AsyncReservation)[] = [];
  for (let key = 0; key < 1_000; key += 1) {
    const reservation = await limiter.reserve(`${prefix}-${key}`);
    if (reservation.decision.overflowed === true) return { all, key: `${prefix}-${key}`, overflowed: reservation };
    all.push(reservation);
  }
  throw new Error("expected a store that is full");
}

describe.each(EVERY_STORE)("what an overflow bucket counts, over %s", (_name, createStore) => {
  const setUp = (limit: ReturnType<typeof perDay> | ReturnType<typeof concurrency>) => {
    const clock = manualClock(START_MS);
    const store = createStore({ maxKeys: 4, overflow: "share" });
    return { clock, limiter: createLimiter({ name: "api", limits: [limit], clock, store }) };
  };

  it("is renewed and freed there, though the store has capacity again", async () => {
    const { clock, limiter } = setUp(concurrency({ max: 2, ttl: TTL_MS }));
    const { all, key, overflowed } = await fill(limiter, "first");
    for (const one of all) await one.cancel();
    await limiter.sweep();
    clock.advance(TTL_MS / 2);
    expect(await overflowed.renew()).toBe(true);
    clock.advance(TTL_MS - 1);
    // The store is full again, so that the key is looked for in its bucket.
    await fill(limiter, "second");
    expect((await limiter.explain(key))[0]?.used).toBe(1);
    await overflowed.cancel();
    expect((await limiter.explain(key))[0]?.used).toBe(0);
  });

  it("is not given back to cells that the key got later", async () => {
    const { limiter } = setUp(perDay(10));
    const { all, key, overflowed } = await fill(limiter, "first");
    for (const one of all) await one.cancel();
    await limiter.sweep();
    expect(await limiter.consume(key, 5)).not.toHaveProperty("overflowed");
    await overflowed.cancel();
    expect((await limiter.explain(key))[0]?.used).toBe(5);
  });
});
