import { createLimiter, perSecond } from "tollgate";
import { describe, expect, it } from "vitest";
import { START_MS } from "../start-ms.ts";

describe("limits under a clock", () => {
  it.each([Number.NaN, Number.POSITIVE_INFINITY, -1e300, "5", null, true, [7], undefined])(
    "that returns %s throw, and count nothing",
    (time) => {
      let now: unknown = START_MS;
      const limiter = createLimiter({ limits: [perSecond(5)], clock: { now: () => now as number } });
      limiter.allow("a");
      now = time;
      expect(() => limiter.allow("a")).toThrow(
        expect.objectContaining({
          code: "ERR_CLOCK",
          message: expect.stringMatching(/^clock.now\(\): expected milliseconds .+, got /),
        }),
      );
      now = START_MS;
      expect(limiter.explain("a")[0]?.used).toBe(1);
    },
  );
});
