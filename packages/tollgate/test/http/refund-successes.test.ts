import { refundSuccesses } from "tollgate/node";
import { describe, expect, it } from "vitest";

const TAKEN = { requests: 1, tokens: 5 };

describe("refundSuccesses", () => {
  it.each([
    [200, true, 0],
    [399, true, 0],
    [400, true, TAKEN],
    [503, true, TAKEN],
    [200, false, TAKEN],
    // The answer was not seen.
    [0, true, TAKEN],
    [0, false, TAKEN],
  ])("counts a response of status %d, completed: %s, as %j", (status, completed, cost) => {
    expect(refundSuccesses()(undefined, { status, completed, bytes: 0 }, TAKEN)).toEqual(cost);
  });

  it("takes the statuses of successes", () => {
    const only200 = refundSuccesses((status) => status === 200);
    const costOf = (status: number) => only200(undefined, { status, completed: true, bytes: 0 }, 3);
    expect([401, 201, 200].map(costOf)).toEqual([3, 3, 0]);
  });

  it("refuses what is no function", () => {
    expect(() => refundSuccesses(401 as never)).toThrow(
      expect.objectContaining({
        code: "ERR_OPTION",
        message: "refundSuccesses: expected a function of a status, got 401",
      }),
    );
  });
});
