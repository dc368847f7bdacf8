import { failuresOnly } from "tollgate/node";
import { describe, expect, it } from "vitest";

const TAKEN = { requests: 1, tokens: 5 };

describe("failuresOnly", () => {
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
    expect(failuresOnly()(undefined, { status, completed, bytes: 0 }, TAKEN)).toEqual(cost);
  });

  it("takes the statuses that count", () => {
    const only401 = failuresOnly((status) => status === 401);
    const costOf = (status: number) => only401(undefined, { status, completed: true, bytes: 0 }, 3);
    expect([401, 500, 200].map(costOf)).toEqual([3, 0, 0]);
  });

  it("refuses what is no function", () => {
    expect(() => failuresOnly(401 as never)).toThrow(
      expect.objectContaining({
        code: "ERR_OPTION",
        message: "failuresOnly: expected a function of a status, got 401",
      }),
    );
  });
});
