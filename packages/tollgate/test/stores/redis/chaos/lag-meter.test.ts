import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { LagMeter } from "./kit/lag-meter.ts";

it("a blocked event loop moves a deadline by the time for which it was blocked", async () => {
  const lag = new LagMeter();
  lag.start();
  onTestFinished(() => lag.stop());
  await sleep(20);
  const fromMs = performance.now();
  await sleep(20);
  const blockedMs = performance.now();
  while (performance.now() < blockedMs + 60);
  await sleep(20);
  expect(lag.deadlineMs(fromMs, 50)).toBeGreaterThanOrEqual(fromMs + 50 + 60);
  expect(lag.deadlineMs(blockedMs + 61, 1_000)).toBeLessThan(lag.deadlineMs(fromMs, 1_061));
});
