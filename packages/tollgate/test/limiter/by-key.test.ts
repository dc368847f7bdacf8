import { combine, createLimiter, type Key, perDay, perMinute } from "tollgate";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { START_MS } from "../start-ms.ts";
import { EVERY_STORE } from "./every-store.ts";

const KEYS: readonly Key[] = ["ann", 42, 7n, ["ann", 42], "[ann"];

/** More limits than a limiter keeps spaces for. */
const MANY = 1_100;
const USED_OFTEN = 7;

describe.each(EVERY_STORE)("byKey over %s", (_name, createStore) => {
  const clock = manualClock(START_MS);

  it.each(KEYS)("has every verb for the key %o", async (key) => {
    const options = { name: "calls", limits: [perDay(10)], clock, store: createStore() };
    const limiter = createLimiter({ ...options, key: (call: { of: Key }) => call.of });
    const known = limiter.byKey(key);
    expect(await known.allow(2)).toBe(true);
    expect(await limiter.peek({ of: key }, 0)).toMatchObject({ remaining: 8 });
    const decision = await known.consume(3);
    expect(decision).toMatchObject({ allowed: true, remaining: 5 });
    expect(await known.peek(9)).toMatchObject({ allowed: false, remaining: 5 });
    expect((await known.explain()).map(({ used }) => used)).toEqual([5]);
    expect(await known.charge(8)).toMatchObject({ allowed: false });
    await known.refund(3, decision);
    expect((await limiter.explain({ of: key })).map(({ used }) => used)).toEqual([10]);
    await known.reset();
    expect(await limiter.peek({ of: key }, 0)).toMatchObject({ remaining: 10 });
  });

  it("explains and resets a key under all limits that a function has chosen", async () => {
    const [free, paid] = [perDay(2, { name: "free" }), perDay(9, { name: "paid" })];
    const limiter = createLimiter({
      name: "plans",
      key: (user: { id: string; paid: boolean }) => user.id,
      limits: (user) => [user.paid ? paid : free],
      clock,
      store: createStore(),
    });
    await limiter.allow({ id: "ann", paid: false });
    await limiter.allow({ id: "ann", paid: true }, 4);
    await limiter.allow({ id: "bob", paid: true });
    const known = limiter.byKey("ann");
    expect((await known.explain()).map(({ name, used }) => [name, used])).toEqual([
      ["free", 1],
      ["paid", 4],
    ]);
    for (const call of [() => known.allow(), () => known.consume(), () => known.peek(), () => known.charge(1)]) {
      await expect(async () => call()).rejects.toMatchObject({ code: "ERR_LIMITS" });
    }
    await known.reset();
    expect(await known.explain()).toEqual([]);
    expect((await limiter.byKey("bob").explain()).map(({ used }) => used)).toEqual([1]);
  });

  it("has every verb under the limits that it is given", async () => {
    const plan = [perDay(2, { name: "free" })];
    const options = { name: "plans", clock, store: createStore() };
    const limiter = createLimiter({ ...options, limits: () => plan });
    const known = limiter.byKey("ann", plan);
    expect([await known.allow(), await limiter.allow("ann"), await known.allow()]).toEqual([true, true, false]);
    expect((await known.explain()).map(({ used }) => used)).toEqual([2]);
    await known.reset();
    expect(await limiter.allow("ann")).toBe(true);
  });

  it("explains and resets a key under the limits of the last calls, however many a function has chosen", async () => {
    const limitOf = (i: number) => perDay(2, { name: `limit-${i}` });
    const options = { name: "many", key: () => "ann", clock, store: createStore() };
    const limiter = createLimiter({ ...options, limits: (i: number) => [limitOf(i)] });
    for (let i = 0; i < MANY; i += 1) {
      await limiter.allow(i);
      if (i % 100 === 0) await limiter.allow(USED_OFTEN);
    }
    const known = limiter.byKey("ann");
    const found = (await known.explain()).map(({ name }) => name);
    const last = [USED_OFTEN, ...Array.from({ length: 490 }, (_, i) => MANY - 1 - i)];
    expect(found).toEqual(expect.arrayContaining(last.map((i) => limitOf(i).name)));
    await known.reset();
    for (const i of last) expect(await limiter.peek(i, 0)).toMatchObject({ remaining: 2 });
  });

  it("refuses limits beside fixed ones, empty lists, and combinations", () => {
    const store = createStore();
    const fixed = createLimiter({ name: "fixed", limits: [perDay(2)], clock, store });
    const chosen = createLimiter({ name: "chosen", limits: () => [perDay(2)], clock, store });
    expect(() => fixed.byKey("ann", [perMinute(1)])).toThrow(
      "byKey: expected a key alone, because the limits are fixed, got an array too",
    );
    expect(() => chosen.byKey("ann", [])).toThrow("limits: expected a list of at least one limit, got none");
    expect(() => combine(fixed, chosen).byKey("ann")).toThrow(
      "byKey: expected one limiter, got a combination; ask each of its limiters",
    );
  });
});
