import {
  combine,
  createLimiter,
  fixedWindow,
  type Limit,
  type Limiter,
  type OnChange,
  slidingWindow,
  tokenBucket,
} from "tollgate";
import { type ManualClock, manualClock } from "tollgate/testing";
import { beforeEach, describe, expect, it } from "vitest";
import { IN_PROCESS } from "../properties/change-traces.ts";

const START_MS = 1_790_000_000_123;
const calls = (count: number, seconds = 10) =>
  tokenBucket({ name: "calls", capacity: count, refill: count, per: `${seconds}s` });
const log = (limit: number) => slidingWindow({ name: "calls", limit, window: "10s" });
const quota = (limit: number) => fixedWindow({ name: "calls", limit, window: "10s", anchor: "first-use" });

function admittedOf(limiter: Limiter, count: number, key = "ann"): number {
  return Array.from({ length: count }, () => limiter.allow(key)).filter(Boolean).length;
}

describe.each(IN_PROCESS)("over %s, when limits change,", (_name, createStore) => {
  let clock: ManualClock;
  let store: ReturnType<typeof createStore>;
  let version: (limits: readonly Limit[], onChange?: OnChange) => Limiter;

  beforeEach(() => {
    clock = manualClock(START_MS);
    store = createStore();
    version = (limits, onChange) =>
      createLimiter({ name: "api", limits, clock, store, ...(onChange === undefined ? {} : { onChange }) });
  });

  it.each<[string, Limit, Limit]>([
    ["fixed windows", quota(10), fixedWindow({ name: "calls", limit: 1_000, window: "1h" })],
    ["sliding windows", log(10), slidingWindow({ name: "calls", limit: 1_000, window: "1h" })],
    ["a fixed and a sliding window", quota(10), slidingWindow({ name: "calls", limit: 1_000, window: "1h" })],
    ["a bucket and a fixed window", calls(10), fixedWindow({ name: "calls", limit: 1_000, window: "1h" })],
  ])("%s of one name and different lengths are enforced each for itself", (_kind, short, long) => {
    const versions = [version([short]), version([long])] as const;
    for (const admittedByLong of [700, 300, 0]) {
      const admitted = [0, 0];
      // The calls alternate.
      for (let i = 0; i < 1_400; i += 1) if (versions[i % 2]?.allow("ann")) admitted[i % 2]! += 1;
      expect(admitted).toEqual([10, admittedByLong]);
      clock.advance(60_000);
    }
    version([short]).consume("ann");
    versions[0].reset("ann");
    expect(versions.map((one) => one.explain("ann")[0]?.used)).toEqual([0, 1_000]);
  });

  it("first numbers take the mode of the list, and limits that it adds", () => {
    const hourly = fixedWindow({ name: "hourly", limit: 10, window: "1h" });
    version([calls(3)], "keep-first").consume("ann", 3);
    const shadow = tokenBucket({ name: "calls", capacity: 9, refill: 9, per: "10s", mode: "shadow" });
    const after = version([hourly, shadow], "keep-first");
    expect(after.consume("ann")).toMatchObject({
      allowed: true,
      limit: hourly,
      limits: [hourly, { name: "calls", capacity: 3, mode: "shadow" }],
      shadowDenied: [{ capacity: 3 }],
    });
    expect(after.explain("ann")).toMatchObject([{ used: 1 }, { used: 3, capacity: 3 }]);
    expect(version([calls(3)], "keep-first").explain("ann")).toMatchObject([{ used: 3 }]);
  });

  it("first numbers block as the list does", () => {
    version([calls(3)], "keep-first").consume("ann", 3);
    const strict = tokenBucket({ name: "calls", capacity: 9, refill: 9, per: "10s", blockFor: "10m" });
    const after = version([strict], "keep-first");
    expect(after.consume("ann")).toMatchObject({ limit: { capacity: 3, blockFor: { durationsMs: [600_000] } } });
    expect(after.blockedUntil("ann")).toBe(START_MS + 600_000);
    const mild = version([calls(9)], "keep-first");
    expect(mild.consume("bob", 9).limit).not.toHaveProperty("blockFor");
    expect(after.consume("bob")).toMatchObject({ limit: { capacity: 9, blockFor: {} } });
  });

  it("a handle that is held, a batch and a refund find the key where it is", () => {
    const before = version([calls(5)]);
    const [handle, other] = [before.handle("ann"), before.handle("bob")];
    expect([handle.allow(2), other.allow(2)]).toEqual([true, true]);
    const taken = before.consume("ann", 2);
    const after = version([calls(8)]);
    const out = new Uint8Array(12);
    const keys = Array.from(out, (_, i) => (i % 2 === 0 ? "ann" : "bob"));
    expect(after.allowMany(keys, out)).toBe(10);
    expect([...out]).toEqual([1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 0, 1]);
    before.refund("ann", 2, taken);
    expect(after.explain("ann")).toMatchObject([{ used: 6 }]);
    expect([handle.allow(), other.allow()]).toEqual([false, false]);
    expect(after.explain("ann")).toMatchObject([{ used: 6 }]);
  });

  it("a combination takes all or nothing of what has moved", () => {
    const perRoute = (limit: number) =>
      createLimiter({ name: "route", limits: [quota(limit)], key: () => "all", clock, store });
    version([calls(4)]).consume("ann", 3);
    perRoute(9).consume("any", 8);
    const both = combine(version([calls(5)]), perRoute(10));
    expect([both.allow("ann"), both.allow("ann"), both.allow("ann")]).toEqual([true, true, false]);
    expect(both.explain("ann").map(({ used }) => used)).toEqual([5, 10]);
    expect(version([calls(4)]).explain("ann")).toMatchObject([{ used: 5 }]);
  });

  it("limits chosen per call move as well, between the lists of one key", () => {
    let limits = [calls(5)];
    const limiter = createLimiter({ name: "api", limits: (_key: string) => limits, clock, store });
    expect(admittedOf(limiter, 9)).toBe(5);
    limits = [calls(8)];
    expect(admittedOf(limiter, 9)).toBe(3);
    limits = [calls(5)];
    expect(admittedOf(limiter, 9)).toBe(0);
    expect(limiter.byKey("ann").explain()).toMatchObject([{ used: 8, capacity: 5 }]);
    limiter.reset("ann");
    expect(admittedOf(limiter, 9)).toBe(5);
  });
});
