import { createLimiter, type Duration, type Key, memoryStore, perMinute, perSecond } from "tollgate";
import { manualClock } from "tollgate/testing";
import { describe, expect, it, vi } from "vitest";
import { START_MS } from "../../start-ms.ts";
import { heapInUse } from "./memory-in-use.ts";

describe("the memory store", () => {
  it("makes a limiter's table again after it has removed the empty one", () => {
    const clock = manualClock(START_MS);
    const store = memoryStore();
    const make = () => createLimiter({ name: "api", limits: [perSecond(2)], clock, store });
    const [one, other] = [make(), make()];
    const busy = createLimiter({ name: "busy", limits: [perSecond(1)], clock, store });
    one.allow("a", 2);
    clock.advance(10_000);
    for (let i = 0; i < 200; i += 1) busy.allow("b");
    expect([one.size, other.size]).toEqual([0, 0]);
    one.allow("a", 2);
    expect([other.allow("a"), other.size]).toEqual([false, 1]);
    other.reset("a");
    expect(one.allow("a", 2)).toBe(true);
  });

  it("lists the keys of a name once, whatever the lists that count them, and no digests", () => {
    const store = memoryStore();
    const limits = (key: Key) => [perSecond(2, { name: "calls" }), ...(key === "ann" ? [perMinute(9)] : [])];
    const limiter = createLimiter({ name: "api", limits, onChange: "separate", store });
    for (const key of ["ann", "bob", 7, ["a", 1], "x".repeat(257)] as const) limiter.allow(key);
    createLimiter({ name: "other", limits: [perSecond(2)], store }).allow("eve");
    createLimiter({ name: "api", limits: [perSecond(5)], onChange: "separate", store }).allow("ann");
    expect(store.keys("api").toSorted()).toEqual(["7", '["a",1]', "ann", "bob"]);
    limiter.clear();
    expect([store.keys("api"), store.keys("other"), store.keys("none")]).toEqual([["ann"], ["eve"], []]);
  });

  it("does not grow by short-lived limiters", async () => {
    const clock = manualClock(START_MS);
    const store = memoryStore();
    const before = heapInUse();
    for (let i = 0; i < 20_000; i += 1) {
      const limiter = createLimiter({ name: "api", limits: [perMinute(100_000)], clock, store });
      limiter.allow("a");
      expect(createLimiter({ name: `name-${i}`, limits: [perMinute(1)], clock, store }).size).toBe(0);
    }
    await vi.waitFor(() => expect(heapInUse() - before).toBeLessThan(5e6));
  });

  it("can be used with `using`", () => {
    vi.useFakeTimers();
    {
      using store = memoryStore({ sweepInterval: "1s" });
      expect(store.kind).toBe("sync");
      expect(vi.getTimerCount()).toBe(1);
    }
    expect(vi.getTimerCount()).toBe(0);
  });

  it.each([
    ["0.5ms", '"0.5ms"'],
    [2 ** 31, "2147483648"],
    ["4w", '"4w"'],
  ])("throws for an interval of %s, which no timer has", (sweepInterval, shown) => {
    expect(() => memoryStore({ sweepInterval: sweepInterval as Duration })).toThrow(
      expect.objectContaining({
        code: "ERR_DURATION",
        message: `sweepInterval: expected whole milliseconds or text such as "250ms" or "5s", from 1ms to 24d, got ${shown}`,
      }),
    );
  });

  it.each<Duration>([1, "1ms", "1.5s", "3w", "24d"])("accepts an interval of %s", (sweepInterval) => {
    memoryStore({ sweepInterval }).close();
  });
});
