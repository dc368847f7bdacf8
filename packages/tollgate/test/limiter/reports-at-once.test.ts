import { combine, createLimiter, perDay } from "tollgate";
import { type AsyncStore, Report } from "tollgate/store";
import { manualClock } from "tollgate/testing";
import { expect, it } from "vitest";
import { AsyncTwin } from "../testing/async-twin.ts";

it("a store elsewhere that reports at once is asked as one that reports later: each verb returns a promise", async () => {
  const twin = new AsyncTwin();
  const denial = Object.assign(new Report(), { admitted: false, degraded: "overloaded" });
  const store: AsyncStore = {
    kind: "async",
    open: (plan, context) => twin.open(plan, context),
    transact: () => denial,
    close: () => twin.close(),
  };
  const limiter = createLimiter({ name: "api", limits: [perDay(5)], store });
  const ann = limiter.handle("ann");
  for (const call of [
    limiter.consume("ann"),
    ann.consume(2),
    ann.peek(),
    ann.charge(1),
    combine(limiter).consume("ann"),
  ]) {
    expect(call).toBeInstanceOf(Promise);
    expect(await call).toMatchObject({ allowed: false, reason: "store-unavailable", degraded: "overloaded" });
  }
  expect(await Promise.all([limiter.refund("ann", 1), limiter.explain("ann")])).toEqual([undefined, []]);
  expect(await limiter.allowMany(["ann", "bob"], new Uint8Array(2))).toBe(0);
});

it("a store elsewhere may answer all with one report: another call has no block of it", async () => {
  const twin = new AsyncTwin();
  const denial = Object.assign(new Report(), { admitted: false, degraded: "overloaded" });
  const store: AsyncStore = {
    kind: "async",
    open: (plan, context) => twin.open(plan, context),
    blocks: (...scope) => twin.blocks(...scope),
    transact: async () => denial,
    close: () => twin.close(),
  };
  const guests = createLimiter({ name: "guests", limits: () => "unlimited", store });
  const limiter = createLimiter({ name: "api", limits: [perDay(5)], store });
  await guests.block("ann", "1h", { reason: "spam" });
  expect(await combine(guests, limiter).consume("ann")).toMatchObject({ reason: "blocked", block: { reason: "spam" } });
  expect(await limiter.consume("bob")).toMatchObject({ reason: "store-unavailable", retryAfterMs: 0 });
});

it("a store elsewhere may read the time of a call later: no other call writes into it", async () => {
  const times: Iterable<number>[] = [];
  const store: AsyncStore = {
    kind: "async",
    open: (plan) => ({
      plan,
      allow: async (_key, _costs, nowUs) => times.push([nowUs]) > 0,
      size: async () => 0,
      drop: async () => {},
      clear: async () => {},
      sweep: async () => 0,
      release: () => {},
    }),
    transact: async (_verb, _calls, now) => {
      times.push(now);
      return new Report();
    },
    close: async () => {},
  };
  const clock = manualClock(0);
  const limiter = createLimiter({ name: "api", limits: [perDay(5)], store, clock });
  const ann = limiter.handle("ann");
  for (const call of [() => limiter.allow("ann"), () => ann.allow(), () => limiter.consume("ann"), () => ann.peek()]) {
    for (let repeats = 0; repeats < 2; repeats += 1) {
      await call();
      clock.advance(1_000);
    }
  }
  expect(times.map(([us]) => us)).toEqual([0, 1, 2, 3, 4, 5, 6, 7].map((seconds) => seconds * 1_000_000));
});
