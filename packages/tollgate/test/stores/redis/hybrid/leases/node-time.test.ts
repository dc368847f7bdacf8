import { expect, it } from "vitest";
import { timeOfClocks } from "../../../../../src/stores/hybrid/leases/node-time.ts";

it("tells both times of one look, the steady one as of the millisecond's first call", () => {
  const clocks = { steadyMs: 0.25, wallMs: 1_000 };
  const time = timeOfClocks(
    () => clocks.steadyMs,
    () => clocks.wallMs,
  );
  expect(time()).toEqual({ us: 250, wallUs: 1_000_000 });
  clocks.steadyMs = 1.2;
  expect(time()).toEqual({ us: 250, wallUs: 1_000_000 });
  Object.assign(clocks, { steadyMs: 1.3, wallMs: 1_001 });
  expect(time()).toEqual({ us: 1_300, wallUs: 1_001_000 });
});
