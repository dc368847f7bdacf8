import { type ChosenLimits, combine, createLimiter, type Observation, perDay } from "tollgate";
import type { AsyncStore } from "tollgate/store";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { START_MS } from "../start-ms.ts";
import { AsyncTwin } from "../testing/async-twin.ts";
import { EVERY_STORE } from "./every-store.ts";

const DENIED = {
  allowed: false,
  reason: "denied",
  limiter: "plans",
  limit: undefined,
  limits: [],
  violated: [],
  remaining: undefined,
  limitRemaining: undefined,
  retryAfterMs: Number.POSITIVE_INFINITY,
  resetMs: 0,
  usedAfterRetry: 0,
};

describe.each(EVERY_STORE)('"deny" over %s', (_name, createStore) => {
  const clock = manualClock(START_MS);

  it("denies by every verb, counts nothing, and is observed", async () => {
    const seen: Observation[] = [];
    const limits = (): ChosenLimits => "deny";
    const observe = (one: Observation) => void seen.push(one);
    const limiter = createLimiter({ name: "plans", limits, clock, observe, store: createStore() });
    const handle = limiter.handle("ann");
    expect([await limiter.allow("ann"), await handle.allow()]).toEqual([false, false]);
    for (const call of [limiter.consume("ann"), limiter.peek("ann"), limiter.charge("ann", 1), handle.consume()]) {
      expect(await call).toEqual(DENIED);
    }
    await limiter.refund("ann", 1);
    expect(await limiter.explain("ann")).toEqual([]);
    const out = new Uint8Array([1, 1]);
    expect([await limiter.allowMany(["ann", "bob"], out), ...out]).toEqual([0, 0, 0]);
    expect(await (limiter.kind === "sync" ? limiter.size : limiter.size())).toBe(0);
    expect(seen.map((one) => one.type === "decision" && one.decision.allowed)).toEqual(seen.map(() => false));
    expect(seen).toHaveLength(7);
  });

  it("of one limiter denies a combination, whose other limiters count nothing", async () => {
    const options = { clock, store: createStore() };
    const all = createLimiter({ ...options, name: "all", limits: [perDay(5)] });
    const plans = createLimiter({ ...options, name: "plans", limits: (): ChosenLimits => "deny" });
    const both = combine(all, plans);
    expect(await both.consume("ann")).toEqual(DENIED);
    expect(await both.allow("ann")).toBe(false);
    expect((await both.explain("ann")).map(({ limiter, used }) => [limiter, used])).toEqual([["all", 0]]);
  });
});

describe('"deny" over a store with an "allow" of its own', () => {
  it("asks it nothing", async () => {
    const twin = new AsyncTwin();
    const store: AsyncStore = {
      kind: "async",
      open: (plan, context) =>
        Object.assign(twin.open(plan, context), { allow: () => Promise.reject(new Error("the store was asked")) }),
      transact: (verb, calls, now, taken) => twin.transact(verb, calls, now, taken),
      close: () => twin.close(),
    };
    const all = createLimiter({ name: "all", limits: [perDay(5)], store });
    const plans = createLimiter({ name: "plans", limits: (): ChosenLimits => "deny", store });
    expect(await combine(all, plans).allow("ann")).toBe(false);
    await expect(all.allow("ann")).rejects.toThrow("the store was asked");
  });
});
