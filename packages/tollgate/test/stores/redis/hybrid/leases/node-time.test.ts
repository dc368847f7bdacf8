import { expect, it } from "vitest";
import { timeOfClocks } from "../../../../../src/stores/hybrid/leases/node-time.ts";

function createClocks() {
  const clocks = { steadyMs: 0.25, wallMs: 1_000 };
  const time = timeOfClocks(
    () => clocks.steadyMs,
    () => clocks.wallMs,
  );
  return { clocks, time, read: () => [time.us(), time.wallUs()] };
}

it("tells both times of one look, the steady one as of the millisecond's first call", () => {
  const { clocks, read } = createClocks();
  expect(read()).toEqual([250, 1_000_000]);
  clocks.steadyMs = 1.2;
  expect(read()).toEqual([250, 1_000_000]);
  Object.assign(clocks, { steadyMs: 1.3, wallMs: 1_001 });
  expect(read()).toEqual([1_300, 1_001_000]);
});

it("sees both clocks after a sleep, in which the steady one stood still, and after the time of day was set back", () => {
  const { clocks, read } = createClocks();
  read();
  clocks.wallMs += 3_600_000;
  expect(read()).toEqual([250, 3_601_000_000]);
  Object.assign(clocks, { steadyMs: 9_000, wallMs: 500 });
  expect(read()).toEqual([9_000_000, 500_000]);
});
