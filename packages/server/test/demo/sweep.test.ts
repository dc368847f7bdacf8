import { manualClock } from "tollgate/testing";
import { expect, it, onTestFinished, vi } from "vitest";
import { openLimiters } from "../../src/demo/limiters.ts";

it("drops idle clients of the service every --sweep-interval", async () => {
  const clock = manualClock();
  const limiters = openLimiters({
    capacity: 10,
    refill: { units: 1, per: "1s", text: "1 per second" },
    key: (facts) => facts.path,
    sweepInterval: 5,
    clock,
  });
  onTestFinished(() => limiters.close());
  for (let client = 0; client < 12; client += 1)
    limiters.client.allow({ method: "GET", path: String(client), remoteAddress: undefined, header: () => undefined });
  expect(limiters.client.size).toBe(12);
  clock.set(1_000);
  await vi.waitFor(() => expect(limiters.client.size).toBe(0));
});
