import type { AddressInfo } from "node:net";
import type { HttpFacts } from "tollgate/node";
import { manualClock } from "tollgate/testing";
import { describe, expect, it } from "vitest";
import { call, statuses } from "../support/call.ts";
import { serveRoutes } from "../support/route-server.ts";
import { startTestService } from "../support/test-service.ts";

const LOOPBACK: HttpFacts = { method: "GET", path: "/", remoteAddress: "127.0.0.1", header: () => undefined };

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

  it("refill at the configured rate", async () => {
    const clock = manualClock();
    const { url } = await startTestService({
      capacity: 4,
      refill: { units: 2, per: "1s", text: "2 per second" },
      clock,
    });
    expect(await statuses(5, url)).toEqual([200, 200, 200, 200, 429]);
    clock.advance(500);
    expect(await statuses(2, url)).toEqual([200, 429]);
    clock.advance(1_000);
    expect(await statuses(3, url)).toEqual([200, 200, 429]);
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

  it("follow a trace at capacity 10 and one per second", async () => {
    const clock = manualClock();
    const { server, limiters } = await serveRoutes({ clock }, { port: 0, host: "127.0.0.1" });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/ping`;
    const left = (): number | undefined => limiters.client.explain(LOOPBACK)[0]?.remaining;

    expect(await statuses(3, url)).toEqual([200, 200, 200]);
    expect(left()).toBe(7);
    clock.set(1_000);
    expect(left()).toBe(8);
    expect(await statuses(9, url)).toEqual([200, 200, 200, 200, 200, 200, 200, 200, 429]);
    expect(left()).toBe(0);
    clock.set(2_000);
    expect(await statuses(1, url)).toEqual([200]);
    expect(left()).toBe(0);
  });

  it("allow exactly 5 of 20 concurrent calls at capacity 5", async () => {
    const { url } = await startTestService({ capacity: 5, clock: manualClock() });
    const answers = await Promise.all(Array.from({ length: 20 }, () => call(`${url}/ping`)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(15);
  });
});
