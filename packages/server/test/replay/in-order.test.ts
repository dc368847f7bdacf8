import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { InOrder, MOST_LATE_US } from "../../src/replay/in-order.ts";

function taken(times: readonly number[]) {
  const out: { timeUs: number; request: number }[] = [];
  const order = new InOrder<{ timeUs: number; request: number }>((request) => void out.push(request));
  times.forEach((timeUs, request) => {
    order.add({ timeUs, request });
  });
  order.end();
  return { out, late: order.late };
}

describe("requests that come out of order", () => {
  it("are put in order if none is later than five seconds, those of one moment as they came", () => {
    const late = fc.array(fc.record({ gap: fc.nat(4_000_000), by: fc.nat(MOST_LATE_US) }), { maxLength: 200 });
    fc.assert(
      fc.property(late, (lines) => {
        let newest = 1e15;
        const times = lines.map(({ gap, by }, index) => {
          if (index % 3 === 0) newest += gap;
          return index % 3 === 0 ? newest : newest - by;
        });
        const { out, late: count } = taken(times);
        const expected = times
          .map((timeUs, request) => ({ timeUs, request }))
          .sort((one, other) => one.timeUs - other.timeUs);
        expect({ out, count }).toEqual({ out: expected, count: 0 });
      }),
    );
  });

  it("count as of the time that is reached if they come later, and none is lost", () => {
    const { out, late } = taken([1e15, 1e15 + 20_000_000, 1e15 + 1, 1e15 + 20_000_001]);
    expect(late).toBe(0);
    expect(out.map(({ request }) => request)).toEqual([0, 2, 1, 3]);
    const { out: others, late: count } = taken([1e15, 1e15 + 9_000_000, 1e15 + 20_000_000, 1e15 + 1]);
    expect(count).toBe(1);
    expect(others.map(({ timeUs, request }) => [timeUs - 1e15, request])).toEqual([
      [0, 0],
      [9_000_000, 1],
      [9_000_000, 3],
      [20_000_000, 2],
    ]);
  });

  it("count at the moment before if one alone is an hour ahead, as of a wrong clock", () => {
    const { out, late } = taken([1e15, 9e15, 1e15 + 1, 1e15 + 7_200_000_000, 1e15 + 7_200_000_001]);
    expect(late).toBe(1);
    expect(out.map(({ timeUs, request }) => [timeUs - 1e15, request])).toEqual([
      [0, 0],
      [0, 1],
      [1, 2],
      [7_200_000_000, 3],
      [7_200_000_001, 4],
    ]);
    expect(taken([1e15, 2e15]).out.map(({ timeUs }) => timeUs)).toEqual([1e15, 2e15]);
  });
});
