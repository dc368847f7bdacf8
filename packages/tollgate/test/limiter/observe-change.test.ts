import { type ChangeObservation, createLimiter, type Limit, type Observer, perMinute, perSecond } from "tollgate";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { IN_PROCESS } from "./every-store.ts";

const calls = (limit: number) => perMinute(limit, { name: "calls" });

describe.each(IN_PROCESS)("an observer over %s", (_name, createStore) => {
  function setUp() {
    const store = createStore();
    const clock = manualClock(1_790_000_000_123);
    const seen: ChangeObservation[] = [];
    const notes: Observer = (one) => void (one.type === "change" && seen.push(one));
    const version = (limits: readonly Limit[], observe = notes) =>
      createLimiter({ name: "api", limits, clock, store, observe });
    return { store, clock, seen, version };
  }

  it("is notified when a key moves to other limits, and then only", () => {
    const { seen, version } = setUp();
    const [first, second, third] = [[calls(5)], [calls(9), perSecond(3, { name: "burst" })], [calls(7)]];
    const limiters = [first, second, third].map((limits) => version(limits));
    for (let turn = 0; turn < 3; turn += 1) limiters[0]?.allow("ann");
    limiters[1]?.peek("ann");
    limiters[1]?.explain("ann");
    limiters[1]?.allow("bob");
    expect(seen).toEqual([]);
    limiters[1]?.allow("ann", 9);
    limiters[1]?.allow("ann");
    expect(seen).toEqual([{ type: "change", limiter: "api", key: "ann", from: first, to: second }]);
    limiters[2]?.charge(["ann", 1], 1);
    limiters[2]?.refund("ann", 1);
    expect(seen.slice(1)).toEqual([{ type: "change", limiter: "api", key: "ann", from: second, to: third }]);
  });

  it("is not notified of keys that keep their first numbers, or are idle", () => {
    const { store, clock, seen, version } = setUp();
    version([calls(5)]).allow("ann");
    const observe: Observer = (one) => void (one.type === "change" && seen.push(one));
    const keeps = { name: "api", clock, store, observe, onChange: "keep-first" as const };
    createLimiter({ ...keeps, limits: [calls(9)] }).allow("ann");
    clock.advance(60_000);
    version([calls(7)]).allow("ann");
    expect(seen).toEqual([]);
  });

  it("may call the limiter itself, because the call is over", () => {
    const { store, version } = setUp();
    const used: unknown[] = [];
    version([calls(5)]).allow("ann", 5);
    version([calls(5)]).allow("bob", 5);
    const after = version([calls(9)], (one) => {
      if (one.type !== "change") return;
      used.push(after.peek("ann", 0).remaining);
      // Moves another key in the middle of the notification.
      after.allow("bob", 1);
    });
    expect([after.allow("ann", 2), used]).toEqual([true, [2, 2]]);
    expect([after.allow("bob", 2), used]).toEqual([true, [2, 2]]);
    expect(after.explain("bob")).toMatchObject([{ used: 9 }]);
    expect(store).toMatchObject({ size: 2 });
  });
});
