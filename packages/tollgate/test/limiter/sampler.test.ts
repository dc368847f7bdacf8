import { describe, expect, it, vi } from "vitest";
import { Sampler } from "../../src/limiter/watching/sampler.ts";
import { seededRandom } from "../metrics/hot-keys/streams.ts";

const CALLS = 200_000;

/** The numbers of calls from each chosen one to the next. */
function gapsOf(sampler: Sampler): number[] {
  const gaps: number[] = [];
  let gap = 0;
  for (let call = 0; call < CALLS; call += 1) {
    gap += 1;
    if (!sampler.draw()) continue;
    gaps.push(gap);
    gap = 0;
  }
  return gaps;
}

describe("a sampler", () => {
  it.each([1, 2, 3, 16, 128])("chooses 1 call in %i, each without regard to the others", (interval) => {
    vi.spyOn(Math, "random").mockImplementation(seededRandom(interval));
    const gaps = gapsOf(new Sampler(interval));
    const chance = 1 / interval;
    const expected = CALLS * chance;
    expect(Math.abs(gaps.length - expected)).toBeLessThanOrEqual(4 * Math.sqrt(expected * (1 - chance)));
    // Independent draws: so many gaps are longer than the interval.
    const longer = gaps.length * (1 - chance) ** interval;
    expect(Math.abs(gaps.filter((gap) => gap > interval).length - longer)).toBeLessThanOrEqual(4 * Math.sqrt(longer));
  });

  it("counts a call once, whether it is skipped or drawn", () => {
    vi.spyOn(Math, "random").mockImplementation(seededRandom(8));
    const sampler = new Sampler(5);
    let chosen = 0;
    for (let call = 0; call < CALLS; call += 1) if (!sampler.skip(1) && sampler.draw()) chosen += 1;
    expect(Math.abs(chosen - CALLS / 5)).toBeLessThan(4 * Math.sqrt(CALLS / 5));
  });
});
