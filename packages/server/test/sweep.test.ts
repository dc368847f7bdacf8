import { manualClock } from "tollgate/testing";
import { describe, expect, it, vi } from "vitest";
import { call } from "./call.ts";
import { startTestService } from "./test-service.ts";

describe("idle clients of the service", () => {
  it("are removed, and the log says how many", async () => {
    const clock = manualClock();
    const { url, log } = await startTestService({ clock, sweepInterval: 5 });
    const callAs = (client: number) => call(`${url}/ping`, { headers: { "X-API-Key": `client-${client}` } });
    for (let client = 0; client < 12; client += 1) await callAs(client);
    clock.set(500);
    for (let client = 12; client < 15; client += 1) await callAs(client);

    // The first twelve are full again, the other three half a second later.
    clock.set(1_000);
    await vi.waitFor(() => expect(log).toEqual(["sweep limiter=client removed=12 remaining=3"]));
    clock.set(1_500);
    await vi.waitFor(() => expect(log.slice(1)).toEqual(["sweep limiter=client removed=3 remaining=0"]));
  });

  it("of /test are logged under its limiter's name", async () => {
    const clock = manualClock();
    const { url, log } = await startTestService({ clock, sweepInterval: 5 });
    await call(`${url}/test`);
    clock.set(1_000);
    await vi.waitFor(() => expect(log).toEqual(["sweep limiter=test removed=1 remaining=0"]));
  });
});
