import { createLimiter, memoryStore, type Observation, perMinute, perSecond } from "tollgate";
import type { SyncStore } from "tollgate/store";
import { tableStore } from "tollgate/table";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { START_MS } from "../start-ms.ts";
import { EVERY_STORE, limiterOver } from "./every-store.ts";
import { plainStore } from "./plain-store.ts";

const SYNC_STORES: readonly [string, () => SyncStore][] = [
  ["the memory store", () => memoryStore()],
  ["the table store", () => tableStore({ maxKeys: 5_000 })],
  ["a store without key references", plainStore],
];

describe.each(EVERY_STORE)("a handle over %s", (_name, createStore) => {
  const clock = manualClock(START_MS);

  it("creates no key before its first admitted call", async () => {
    const limiter = limiterOver(createStore(), { limits: [perSecond(2)], clock, name: "a" });
    const handle = limiter.handle("ann");
    await handle.allow(0);
    await handle.consume(3);
    expect(await (limiter.kind === "sync" ? limiter.size : limiter.size())).toBe(0);
  });

  it("finds its key again after thousands of other keys came and a sweep dropped all", async () => {
    const limiter = limiterOver(createStore(), { limits: [perSecond(2)], clock, name: "b" });
    const handle = limiter.handle("ann");
    for (let round = 0; round < 3; round += 1) {
      expect([await handle.allow(), await limiter.allow("ann"), await handle.allow()]).toEqual([true, true, false]);
      for (let i = 0; i < 1_000; i += 1) await limiter.allow(`other ${i}`);
      expect(await handle.allow()).toBe(false);
      clock.advance(1_000);
      // The sweep steps of these calls release the table if they can.
      for (let i = 0; i < 1_000; i += 1) await limiter.allow("other", 0);
      await limiter.sweep();
      for (let i = 0; i < 200; i += 1) await limiter.allow("other", 0);
    }
  });

  it.each([-1, 1.5, Number.NaN, "1", null, { pages: 1 }, new Map()])(
    "refuses the cost %s, and counts nothing",
    async (cost) => {
      const limiter = limiterOver(createStore(), { limits: [perSecond(2)], clock, name: "d" });
      const handle = limiter.handle("ann");
      const refused = { code: "ERR_COST" };
      // Over an asynchronous store it rejects.
      await expect(async () => handle.allow(cost as never)).rejects.toMatchObject(refused);
      await expect(async () => handle.consume(cost as never)).rejects.toMatchObject(refused);
      await expect(async () => handle.charge(cost as never)).rejects.toMatchObject(refused);
      await expect(async () => handle.refund(cost as never)).rejects.toMatchObject(refused);
      expect((await limiter.explain("ann"))[0]?.used).toBe(0);
    },
  );

  it.each([undefined, null, Number.NaN, [["ann"]]])("is not created for the key %s", (key) => {
    const limiter = limiterOver(createStore(), { limits: [perSecond(2)], clock, name: "e" });
    expect(() => limiter.handle(key as never)).toThrow(expect.objectContaining({ code: "ERR_KEY" }));
  });

  it("charges and refunds under the key and the limits that it was made with", async () => {
    let choices = 0;
    const limiter = limiterOver(createStore(), {
      key: (input) => (choices === 0 ? input : "another client"),
      limits: () => {
        choices += 1;
        return [perMinute(10, { name: `choice-${choices}` }), perMinute(90, { unit: "tokens" })];
      },
      clock,
      name: "j",
    });
    const handle = limiter.handle("ann");
    await handle.consume();
    expect(await handle.charge({ requests: 11, tokens: 5 })).toMatchObject({
      allowed: false,
      limit: { name: "choice-1" },
    });
    await handle.refund({ requests: 7, tokens: 1 });
    expect(await handle.consume(0)).toMatchObject({ limit: { name: "choice-1" }, limitRemaining: 5 });
    expect(await handle.consume({ tokens: 87 })).toMatchObject({ allowed: false, limit: { unit: "tokens" } });
    expect(choices).toBe(1);
  });

  it("notifies observers as calls by key do", async () => {
    const seen: Observation[] = [];
    const observe = (one: Observation) => void seen.push(one);
    const limiter = limiterOver(createStore(), { limits: [perSecond(4)], clock, name: "i", observe });
    const handle = limiter.handle("ann");
    await handle.allow();
    await handle.consume(2);
    await handle.charge(5);
    await handle.refund(1);
    const notified = seen.splice(0);
    await limiter.reset("ann");
    await limiter.allow("ann");
    await limiter.consume("ann", 2);
    await limiter.charge("ann", 5);
    await limiter.refund("ann", 1);
    expect(notified).toHaveLength(3);
    expect(notified).toEqual(seen);
  });
});

describe.each(SYNC_STORES)("a handle over %s", (_name, createStore) => {
  it("counts under its key after the store has released its limits and opened them again", () => {
    const clock = manualClock(START_MS);
    const store = createStore();
    const limiter = createLimiter({ name: "hers", limits: [perSecond(2)], clock, store });
    const handle = limiter.handle("ann");
    for (let round = 0; round < 3; round += 1) {
      expect([handle.allow(), limiter.allow("ann"), handle.allow()]).toEqual([true, true, false]);
      clock.advance(10_000);
      for (let i = 0; i < 300; i += 1) {
        createLimiter({ name: `limiter ${round} ${i}`, limits: [perSecond(2)], clock, store }).allow("ann");
      }
    }
  });

  it("goes on after the limiter is closed", () => {
    const limiter = createLimiter({ limits: [perSecond(1)], clock: manualClock(START_MS), store: createStore() });
    const handle = limiter.handle("ann");
    limiter.close();
    expect([handle.allow(), handle.allow(), limiter.allow("ann")]).toEqual([true, false, false]);
  });
});
