import { setImmediate } from "node:timers/promises";
import { manualClock } from "tollgate/testing";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { openLimiters } from "../../src/demo/limiters.ts";
import { call } from "../support/call.ts";
import { startTestService } from "../support/test-service.ts";

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

  it("are logged in at most one line per interval", async () => {
    const intervalMs = 50;
    const startedMs = performance.now();
    const elapsedMs = () => Math.floor(performance.now() - startedMs);
    const lines: string[] = [];
    const limiters = openLimiters({
      capacity: 10,
      refill: { units: 1_000, per: "1s", text: "1000 per second" },
      key: (facts) => facts.path,
      sweepInterval: intervalMs,
      clock: { now: elapsedMs },
      log: ({ event }) => void lines.push(event),
    });
    onTestFinished(() => limiters.close());
    // Clients are idle after a millisecond, so each call finds idle ones: a line for each would be thousands.
    for (let client = 0; elapsedMs() < 10 * intervalMs; client += 1) {
      limiters.client.allow({ method: "GET", path: String(client), remoteAddress: undefined, header: () => undefined });
      if (client % 100 === 0) await setImmediate();
    }
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.length).toBeLessThanOrEqual(Math.ceil(elapsedMs() / intervalMs) + 1);
  });
});
