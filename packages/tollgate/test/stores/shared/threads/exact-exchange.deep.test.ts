import { describe, expect, it } from "vitest";
import { together } from "./crew.ts";
import { limiterOver, sharedStore } from "./library.ts";
import { PLANS } from "./plans.ts";

const CAPACITY = 60;
const CALLS = 200_000;

/** With so few keys, each is often idle and often in debt. */
const KEYS = 5;

describe.each(PLANS)("four threads that take, charge and refund, with $name", ({ limits }) => {
  it.each([
    { name: "the units in use are those that the threads hold", refundAll: false },
    { name: "no units are in use after all are refunded", refundAll: true },
  ])("$name", async ({ refundAll }) => {
    const store = sharedStore({ maxKeys: 100, maxBytes: 2 ** 24 });
    const parameters = { keys: KEYS, calls: CALLS, refundAll };
    const job = { job: "exchange.mjs", limits: limits(CAPACITY), parameters };
    const has = await together<Float64Array>(store, [job, job, job, job]);
    const limiter = limiterOver(store, limits(CAPACITY));
    for (let key = 0; key < KEYS; key += 1) {
      const units = refundAll ? 0 : has.reduce((sum, mine) => sum + mine[key]!, 0);
      const expected = { used: units, remaining: Math.max(0, CAPACITY - units) };
      for (const report of limiter.explain(`key ${key}`)) expect(report).toMatchObject(expected);
    }
    expect(has.some((units) => units.some((count) => count > 0))).toBe(true);
    expect(store.overflowCount).toBe(0);
  });
});
