import { describe, expect, it } from "vitest";
import { together } from "./crew.ts";
import { limiterOver, sharedStore } from "./library.ts";
import { PLANS } from "./plans.ts";

const CAPACITY = 60;
const CALLS = 200_000;

/** Few keys, which are often as good as new, and then in debt. */
const KEYS = 5;

describe.each(PLANS)("four threads that take, charge and give back: $name", ({ limits }) => {
  it.each([
    { name: "what they have is what is used", giveAllBack: false },
    { name: "when all is given back, nothing is used", giveAllBack: true },
  ])("$name", async ({ giveAllBack }) => {
    const store = sharedStore({ maxKeys: 100, maxBytes: 2 ** 24 });
    const parameters = { keys: KEYS, calls: CALLS, giveAllBack };
    const job = { job: "exchange.mjs", limits: limits(CAPACITY), parameters };
    const has = await together<Float64Array>(store, [job, job, job, job]);
    const limiter = limiterOver(store, limits(CAPACITY));
    for (let key = 0; key < KEYS; key += 1) {
      const units = giveAllBack ? 0 : has.reduce((sum, mine) => sum + mine[key]!, 0);
      const standing = { used: units, remaining: Math.max(0, CAPACITY - units) };
      for (const report of limiter.explain(`key ${key}`)) expect(report).toMatchObject(standing);
    }
    expect(has.some((units) => units.some((count) => count > 0))).toBe(true);
    expect(store.overflowCount).toBe(0);
  });
});
