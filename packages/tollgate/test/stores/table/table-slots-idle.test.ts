import { createLimiter, perSecond } from "tollgate";
import { tableStore } from "tollgate/table";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { START_MS } from "../../start-ms.ts";

describe("the slots of idle keys in a table", () => {
  it("stay theirs in a table of many limiters, once no new ones come", () => {
    const clock = manualClock(START_MS);
    const store = tableStore({ maxKeys: 1_000 });
    const limiters = Array.from({ length: 100 }, () => createLimiter({ limits: [perSecond(1_000)], clock, store }));
    for (let round = 0; round < 200; round += 1) {
      for (const limiter of limiters) limiter.allow("client");
      clock.advance(1);
    }
    for (let i = 0; i < 20_000; i += 1) limiters[0]!.allow("client");
    expect(store.size).toBe(100);
  });
});
