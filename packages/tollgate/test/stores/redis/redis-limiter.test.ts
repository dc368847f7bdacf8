import { createLimiter, perDay, perHour, perSecond } from "tollgate";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { useRedis } from "./kit/use-redis.ts";

const inUse = useRedis();
const NOW_MS = 1_790_000_000_000;

it("identical calls of one turn, decided at once, take from a limit in shadow mode as often as it has units", async () => {
  const shadow = perHour(2, { mode: "shadow" });
  const limiter = createLimiter({ name: "api", limits: [perDay(4), shadow], store: inUse.redis.store() });
  const answers = await Promise.all(Array.from({ length: 5 }, () => limiter.allow("ann")));
  expect(answers.filter(Boolean)).toHaveLength(4);
  expect((await limiter.explain("ann")).map(({ used }) => used)).toEqual([4, 2]);
});

describe("the keys of a limiter", () => {
  it("size, sweep and clear reach all 5,000 keys of the limiter, and no others", async () => {
    const clock = manualClock(NOW_MS);
    const store = inUse.redis.storeByClock({ timeout: "20s" });
    const limits = [perSecond(2), perHour(9)];
    const limiter = createLimiter({ name: "api", limits, store, clock });
    const other = createLimiter({ name: "api2", limits, store, clock });
    const keys = Array.from({ length: 5_000 }, (_, i) => `user-${i}`);
    await limiter.allowMany(keys, new Uint8Array(5_000));
    await Promise.all([other.allow("ann"), limiter.allow("user-1"), limiter.charge("user-2", 3)]);
    expect(await limiter.size()).toBe(5_000);
    expect(await limiter.sweep()).toBe(0);
    // Keys that used one unit are idle, the two that used more are not.
    clock.advance(400_000);
    expect(await limiter.sweep()).toBe(4_998);
    expect(await limiter.size()).toBe(2);
    expect(await limiter.peek("user-2", 0)).toMatchObject({ allowed: true, remaining: 2 });
    await limiter.clear();
    expect(await limiter.size()).toBe(0);
    expect(await other.size()).toBe(1);
  });

  it("sweep and clear ask for no more keys at once than maxPending allows", async () => {
    const clock = manualClock(NOW_MS);
    const store = inUse.redis.storeByClock({ maxPending: 4 });
    const limiter = createLimiter({ name: "api", limits: [perSecond(2)], store, clock });
    for (let i = 0; i < 20; i += 1) await limiter.allow(`user-${i}`);
    clock.advance(10_000);
    await limiter.allow("user-1");
    expect(await limiter.sweep()).toBe(19);
    await limiter.clear();
    expect(await limiter.size()).toBe(0);
  });
});

describe("closing a store and a limiter", () => {
  it("a closed limiter is not notified of sweeps, and still decides", async () => {
    const clock = manualClock(NOW_MS);
    const observed: string[] = [];
    const limiter = createLimiter({
      name: "api",
      limits: [perSecond(5)],
      store: inUse.redis.storeByClock(),
      clock,
      observe: ({ type }) => observed.push(type),
    });
    await limiter.allow("ann");
    clock.advance(60_000);
    await limiter.close();
    expect(await limiter.sweep()).toBe(1);
    expect(await limiter.allow("ann")).toBe(true);
    expect(observed).toEqual(["decision", "decision"]);
  });
});
