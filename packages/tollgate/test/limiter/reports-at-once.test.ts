import { combine, createLimiter, perDay } from "tollgate";
import { type AsyncStore, Report } from "tollgate/store";
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
