import {
  createLimiter,
  fixedWindow,
  type Limit,
  type Limiter,
  type OnChange,
  perDay,
  perHour,
  perMinute,
} from "tollgate";
import { type ManualClock, manualClock } from "tollgate/testing";
import { beforeEach, describe, expect, it } from "vitest";
import { BOUNDED_STORES, fill } from "./full-stores.ts";

const calls = (limit: number) => perMinute(limit, { name: "calls" });
const daily = fixedWindow({ name: "daily", limit: 1_000, window: "1d" });

describe.each(BOUNDED_STORES)("in a full $kind store, when limits change,", (bounded) => {
  let clock: ManualClock;
  let store: ReturnType<typeof bounded.create>;
  let version: (limits: readonly Limit[], onChange?: OnChange) => Limiter;

  beforeEach(() => {
    clock = manualClock(1_790_000_000_123);
    store = bounded.create({ maxKeys: 1 });
    version = (limits, onChange) =>
      createLimiter({ name: "api", limits, clock, store, ...(onChange === undefined ? {} : { onChange }) });
  });

  it("a key keeps its row, and what it has used", () => {
    const before = version([calls(9)]);
    fill(bounded, before, 5);
    const after = version([calls(12)]);
    const decisions = Array.from({ length: bounded.slots }, (_, i) => after.consume(`filler-${i}`, 2));
    const inSlots = decisions.filter(({ overflowed }) => overflowed === undefined);
    // A table needs a free slot to move a key. Without one the key keeps its row, and shares a bucket.
    expect(inSlots).toHaveLength(bounded.kind === "memory" ? 1 : 0);
    for (const { remaining } of inSlots) expect(remaining).toBe(5);
    expect(store.size).toBe(bounded.slots);
  });

  it("a key that finds no slot for what stays behind keeps its row, and shares a bucket", () => {
    const before = version([calls(9), perDay(1_000, { name: "daily" })]);
    fill(bounded, before, 5);
    const after = version([calls(12), perHour(100, { name: "hourly" })]);
    const peeked = after.peek("filler-0");
    expect(peeked).toMatchObject({ allowed: true, overflowed: true });
    expect(after.consume("filler-0")).toEqual(peeked);
    expect(before.explain("filler-0").map(({ used }) => used)).toEqual([5, 5]);
    expect(store.size).toBe(bounded.slots);
  });

  it("size and sweep are about the keys under the limiter's own numbers, clear about all", () => {
    const before = version([calls(9)]);
    fill(bounded, before, 5);
    const after = version([calls(12), daily]);
    expect([before.size, after.size, store.size]).toEqual([bounded.slots, 0, bounded.slots]);
    clock.advance(60_000);
    expect([after.sweep(), before.sweep(), store.size]).toEqual([0, bounded.slots, 0]);
    fill(bounded, before, 5);
    after.clear();
    expect([before.size, store.size]).toEqual([0, 0]);
    expect(after.explain("filler-0")).toMatchObject([{ used: 0 }, { used: 0 }]);
  });
});
