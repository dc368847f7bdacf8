import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { statuses } from "../support/call.ts";
import { startTestService } from "../support/test-service.ts";

describe("the budgets of the service", () => {
  it("are shared by / and /ping", async () => {
    const { url } = await startTestService({ capacity: 3, clock: manualClock() });
    expect(await statuses(1, url)).toEqual([200]);
    expect(await statuses(2, `${url}/ping`)).toEqual([200, 200]);
    expect(await statuses(1, url)).toEqual([429]);
    expect(await statuses(1, `${url}/ping`)).toEqual([429]);
  });

  it("allow three of five calls of /test", async () => {
    const clock = manualClock();
    const { url } = await startTestService({ capacity: 1, clock });
    expect(await statuses(2, url)).toEqual([200, 429]);
    expect(await statuses(5, `${url}/test`)).toEqual([200, 200, 200, 429, 429]);
    clock.advance(1_000);
    expect(await statuses(2, `${url}/test`)).toEqual([200, 429]);
    expect(await statuses(2, url)).toEqual([200, 429]);
  });

  it.each([
    ["0.0167 a second", { units: 0.0167, per: "1s", text: "" }, 59_880],
    ["one in 60 s", { units: 1, per: "60s", text: "" }, 60_000],
  ] as const)("refill at %s, to the millisecond", async (_rate, refill, oneMs) => {
    const clock = manualClock();
    const { url } = await startTestService({ capacity: 2, refill, clock });
    expect(await statuses(3, url)).toEqual([200, 200, 429]);
    // 1 / 0.0167 is a little more than 59,880 ms.
    clock.advance(oneMs === 60_000 ? oneMs - 1 : oneMs);
    expect(await statuses(1, url)).toEqual([429]);
    clock.advance(1);
    expect(await statuses(2, url)).toEqual([200, 429]);
  });
});
