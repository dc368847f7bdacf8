import { createLimiter, fixedWindow, perMinute, tokenBucket } from "tollgate";
import { manualClock } from "tollgate/testing";
import { expect, it, vi } from "vitest";
import { START_MS } from "../start-ms.ts";
import { EVERY_STORE } from "./every-store.ts";

it.each(EVERY_STORE)(
  "limits that are made anew for each call are found again by their numbers, over %s",
  async (_name, createStore) => {
    const store = createStore();
    const opened = vi.spyOn(store, "open");
    const limits = () => [perMinute(10), fixedWindow({ limit: 100, window: "1d", unit: "tokens" })];
    const limiter = createLimiter({
      name: "api",
      key: (key: string) => key,
      limits,
      clock: manualClock(START_MS),
      store,
    });
    const decisions: boolean[] = [];
    for (let call = 0; call < 300; call += 1) decisions.push(await limiter.allow("ann"));
    expect(decisions.filter(Boolean)).toHaveLength(10);
    expect((await limiter.explain("ann")).map(({ used }) => used)).toEqual([10, 0]);
    // One space for each limit.
    expect(opened).toHaveBeenCalledTimes(2);
  },
);

it("limits that are made anew are told apart by name, numbers and mode, and copies of them are refused", () => {
  const numbers = { capacity: 1, refill: 1, per: "1h", name: "a" } as const;
  const wide = { ...numbers, name: "wide", capacity: 9 };
  const lists = {
    one: () => [tokenBucket(numbers)],
    other: () => [tokenBucket({ ...numbers, name: "b" })],
    larger: () => [tokenBucket({ ...numbers, capacity: 2 })],
    shadow: () => [tokenBucket({ ...numbers, mode: "shadow" })],
    wide: () => [tokenBucket(wide)],
    both: () => [tokenBucket(wide), tokenBucket({ ...numbers, name: "c" })],
    copy: () => [{ ...tokenBucket(numbers) }],
  };
  const limits = (list: keyof typeof lists) => lists[list]();
  const limiter = createLimiter({ key: () => "ann", limits, clock: manualClock(START_MS) });
  const allowed = (...calls: (keyof typeof lists)[]) => calls.map((list) => limiter.allow(list));
  expect(allowed("one", "one", "other", "other")).toEqual([true, false, true, false]);
  expect(allowed("one", "larger", "larger", "one", "shadow", "one")).toEqual([false, true, false, false, true, false]);
  expect(allowed("wide", "both", "wide", "both", "wide")).toEqual([true, true, true, false, true]);
  expect(limiter.allow("one")).toBe(false);
  expect(() => limiter.allow("copy")).toThrow("limits: expected limits made by");
});
