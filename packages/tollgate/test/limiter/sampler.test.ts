import { expect, it, vi } from "vitest";
import { Sampler } from "../../src/limiter/watching/sampler.ts";
import { seededRandom } from "../metrics/hot-keys/streams.ts";

const CALLS = 200_000;

it("a sampler counts a call once, whether it is skipped or drawn", () => {
  vi.spyOn(Math, "random").mockImplementation(seededRandom(8));
  const sampler = new Sampler(5);
  let chosen = 0;
  for (let call = 0; call < CALLS; call += 1) if (!sampler.skip(1) && sampler.draw()) chosen += 1;
  expect(Math.abs(chosen - CALLS / 5)).toBeLessThan(4 * Math.sqrt(CALLS / 5));
});
