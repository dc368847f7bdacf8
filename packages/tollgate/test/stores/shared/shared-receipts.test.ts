import { concurrency, createLimiter, fixedWindow, type Limit, type Observer, perDay } from "tollgate";
import type { SyncStore } from "tollgate/store";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { START_MS } from "../../start-ms.ts";
import { twoEnds } from "./two-ends.ts";

const places = (max: number) => concurrency({ name: "places", max, ttl: "1m" });

function setUp(maxKeys = 100) {
  const clock = manualClock(START_MS);
  const [store, end] = twoEnds({ maxKeys, maxBytes: 2 ** 25, overflow: "deny" });
  const moves: string[] = [];
  const observe: Observer = (one) => void (one.type === "change" && moves.push(one.key));
  const limiterOf = (one: SyncStore, ...limits: readonly Limit[]) =>
    createLimiter({ name: "api", limits, clock, store: one, observe });
  return {
    clock,
    store,
    moves,
    here: (...limits: readonly Limit[]) => limiterOf(store, ...limits),
    there: (...limits: readonly Limit[]) => limiterOf(end, ...limits),
  };
}

describe("a call that another thread has forgotten", () => {
  it.each(["reset", "clear"] as const)("by %s frees no place of another call, and renews none", (verb) => {
    const { here, there } = setUp();
    const [one, other] = [here(places(3)), there(places(3))];
    const [first, second] = [one.reserve("ann"), one.reserve("ann")];
    if (verb === "reset") other.reset("ann");
    else other.clear();
    expect(other.reserve("ann").decision.allowed).toBe(true);
    expect(first.renew()).toBe(false);
    second.cancel();
    expect(one.explain("ann")[0]?.used).toBe(1);
  });

  it("gives back no unit of another call", () => {
    const { here, there } = setUp();
    const limits = [perDay(10), fixedWindow({ limit: 10, window: "1d" })];
    const [one, other] = [here(...limits), there(...limits)];
    const decision = one.consume("ann", 4);
    other.reset("ann");
    other.allow("ann", 3);
    one.refund("ann", 2, decision);
    expect(one.explain("ann").map(({ used }) => used)).toEqual([3, 3]);
  });
});

describe("a correction of a key that another thread counts under other numbers", () => {
  it("acts on the numbers there, and leaves the key there", () => {
    const { clock, moves, here, there } = setUp();
    const [one, other] = [
      here(places(2), perDay(10, { name: "calls" })),
      there(perDay(20, { name: "calls" }), places(4)),
    ];
    const [first, second] = [one.reserve("ann", 2), one.reserve("ann", 3)];
    expect(other.reserve("ann").decision.allowed).toBe(true);
    clock.advance(30_000);
    expect(first.renew()).toBe(true);
    second.settle(1);
    expect(other.explain("ann").map(({ used }) => used)).toEqual([4, 2]);
    clock.advance(30_000);
    expect(other.explain("ann").map(({ used }) => used)).toEqual([4, 1]);
    expect(moves).toEqual(["ann"]);
  });
});

describe("a limit of one list that another thread forgets", () => {
  const [calls, logins] = [perDay(7, { name: "calls" }), perDay(9, { name: "logins" })];

  it.each(["reset", "clear"] as const)("by %s leaves the other limits of the list", (verb) => {
    const { store, here, there } = setUp();
    const [one, other] = [here(calls, logins), there(perDay(5, { name: "calls" }))];
    expect([one.allow("ann", 2), one.allow("bob", 3)]).toEqual([true, true]);
    if (verb === "reset") other.reset("ann");
    else other.clear();
    expect(one.explain("ann").map(({ used }) => used)).toEqual([0, 2]);
    expect(one.explain("bob").map(({ used }) => used)).toEqual([verb === "reset" ? 3 : 0, 3]);
    expect(one.consume("ann", 7)).toMatchObject({ allowed: true, remaining: 0 });
    expect([one.allow("ann"), store.size]).toEqual([false, 2]);
    one.reset("ann");
    expect(store.size).toBe(1);
  });
});
